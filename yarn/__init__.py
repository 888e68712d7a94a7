"""The vocabulary that all processes share.

ids           identifiers, printed and read as Hadoop does
resource      amounts of memory, vcores and further types
enums         the enumerations of the protocols, by Hadoop's Java names
records/      the messages as frozen records, a module per topic
wire          records to protobuf messages and back
rpc           the same records over gRPC: serving and calling
errors        the refusals, drawn as a tree
clock         where now_ms comes from
timers        events that fall due later
liveliness    who has been silent for too long
dispatcher    events and the queue they go through
statemachine  state machines as tables
story         a line per transition and per decision
aggregated_logs  where the logs of finished containers lie, and the format of their files
ordered       collections whose order is stated
"""
