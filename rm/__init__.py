"""The ResourceManager: a sans-IO core, deterministic, and its edges.

settings/   every property of the RM, typed
events/     everything that can happen
effects     everything that may be asked of the world
context     what a handler can reach
container_context  what a container can reach
ports       what is handed to the core
asks        what applications have asked for and not got
booking     a change of one queue's books by one container
core        the RM: its parts, turns, timers, effects
container   RMContainer
node/       RMNode
app/        RMApp
attempt/    RMAppAttempt
log_aggregation  how far the log aggregation of an application is
submission  submissions accepted or refused
access      who may view and change what
monitoring/ host lists, draining nodes, liveness
labels/     node labels and attributes
reservation/  the ReservationSystem
statistics/ what is counted
state       what the state store is given
services/   one class per protocol
scheduler/  what a scheduler is, and the three of them
reports     what clients are shown; web/ what REST and the pages are
tables      the state machines as a page: `python -m yarnbox.rm.tables`
edge/       the process: gRPC, HTTP, files, clock
"""
