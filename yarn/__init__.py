"""The vocabulary that all processes share.

ids           identifiers, printed and read as Hadoop does
resource      amounts of memory, vcores and further types
enums         the enumerations of the protocols, by Hadoop's Java names
records/      the messages as frozen records, a module per topic
wire          records to protobuf messages and back
rpc           the same records over gRPC: serving and calling
topology      which rack a host is on
log           a daemon's log, for people
journal       records kept one after the other, durable before their call is answered
event_log     every event that an RM dispatched, in a file
tokens        who may do what, signed and checked
credentials   the token files that processes are given
shuffle       how map output is asked for and served
addresses     where the emulated hosts really listen
errors        the refusals, drawn as a tree
configuration/  Hadoop's XML resources and their properties
settings      properties declared once, typed and checked
resource_types  which resource types there are; resources as text
node_resources  what a node offers
units         Mi, G, k: conversion of amounts
acl           who may do something
address       host and port
clock         where now_ms comes from
timers        events that fall due later
liveliness    who has been silent for too long
dispatcher    events and the queue they go through
statemachine  state machines as tables
story         a line per transition and per decision
aggregated_logs  where the logs of finished containers lie, and the format of their files
tfile         the files of Hadoop's own NodeManagers, read
hadoop_ipc/   Hadoop's own wire: serving and calling
version       the versions that yarnbox tells
ordered       collections whose order is stated
"""
