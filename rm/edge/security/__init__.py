"""Who calls the ResourceManager, in which groups they are, and the tokens that it gives.

authentication   who calls over gRPC
groups           groups of users, configured or the machine's
tokens           keys and tokens: signing for the core, checking callers
"""
