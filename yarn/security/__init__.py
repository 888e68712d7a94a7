"""Who calls, and what they may do.

tokens           who may do what, signed and checked
credentials      the token files that processes are given
client_tokens    the tokens of an application's clients for its AM
authentication   who calls, by certificate or token
tls              certificates, and where TLS is required
node_secret      the secret that makes a node a node of its cluster
acl              which users and groups may do something
impersonation    who may act in whose name
"""
