"""The ResourceManager as a process: gRPC to turns, timers to `advance`, effects to the world.

process    the main program: builds the core, serves it, ends
driver     the loop around the core: one turn per call, timers, effects
services   which method of the core answers which rpc, and who may call it
tokens     keys and tokens: signing for the core, checking callers
hadoop     the same services over Hadoop's wire, on Hadoop's ports
launcher   AM launches and stops on NMs
wires      which NMs are called over Hadoop's wire
store      the state store, SQLite
"""
