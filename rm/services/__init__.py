"""The RM's services: one class per protocol, one method per RPC, named like the RPC in snake_case.

A method takes `(request, caller)`, records both, and returns the response record or raises a YarnError. Who
the caller is was established before: see `caller.Caller`. Every method runs within a turn of the core.

caller   who calls
client   ApplicationClientProtocol
cluster  its calls about nodes, queues, labels and resource types
filters  which applications getApplications answers
master   ApplicationMasterProtocol
tracker  ResourceTracker
admin    ResourceManagerAdministrationProtocol
constraints  who serves scheduling requests
"""
