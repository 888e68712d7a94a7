"""The ResourceManager as a process: gRPC to turns, timers to `advance`, effects to the world.

process    the main program: ports, one period of being active or several, the end
active     a period of being active: builds the core, recovers, serves it
front      the gRPC port, whoever answers behind it
ha/        one of several RMs: election, roles, the common state store
driver     the loop around the core: one turn per call, timers, effects
services   which method of the core answers which rpc, and who may call it
http/      REST, metrics and the pages
security/  callers, groups, tokens
hadoop     the same services over Hadoop's wire, on Hadoop's ports
launcher   AM launches and stops on NMs
node_protocols  which NMs are called over Hadoop's protocol
store      the state store, SQLite
directory  the configuration directory
log_retention  deletes aggregated logs that are old
meters     how often services are called and how long they take, for /jmx
"""
