"""The messages of YARN's protocols as frozen records; `yarn.wire` turns them into protobuf and back.

basics       what a record is; URLs, resource types, utilization, errors as data
request      what an AM asks for
container    containers as granted, launched, reported
node         nodes, labels, attributes
application  applications and attempts
queue        queues as clients see them
reservation  plan reservations
tokens       token identifiers and delegation token calls
client, master, management, tracker, admin    the calls of the five protocols
ha           calls of who wants to know which RM is active
mapreduce    calls of a MapReduce job's clients to its AM
"""
