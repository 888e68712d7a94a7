"""The vocabulary that all processes share.

ids           identifiers, printed and read as Hadoop does
enums         the enumerations of the protocols, by Hadoop's Java names
records/      the messages as frozen records, a module per topic
wire          records to protobuf messages and back
limits        what may stand in a message
frozen        the base of values, which cost little
resources/    amounts of memory, vcores and further types
runtime/      turns, events, timers, state machines: what a core runs on
connection/   addresses and gRPC: how processes find and call one another
security/     tokens, certificates, rights
storage/      journals, the sealed store, event logs, collected logs
http/         what every daemon serves over HTTP
text/         command lines, moments, words
drawing/      elements of HTML and SVG, and where ticks lie
rate          how often something was done, and how long it took
processes     whether a process of the system still runs
topology      which rack a host is on
log           a daemon's log, for people
shuffle       how map output is asked for and served
errors        the refusals, drawn as a tree
configuration/  Hadoop's XML resources and their properties
settings      properties declared once, typed and checked
hadoop_ipc/   Hadoop's own wire: serving and calling
version       the versions that yarnbox tells
compiled      whether the compiled core runs, or the sources
exports       public names imported when they are first used
"""
