"""Scenario files: one YAML document says a cluster, what happens to it, and what must then hold.

source        YAML to a tree that remembers its lines, within limits
fields        one value at a time out of that tree: the type it must have, or a problem with its line
names         which applications, nodes, labels and queues the file has brought into being so far
steps         the steps as values, one class a verb
verbs         a mapping with one key, the verb, to its step; nodes, labels and plans are in verbs_cluster
production    a configuration directory, or one of its files, as a scenario plays it
paths         files that a scenario names, relative to its own
checks        the expectations as values, read out of an `expect`
document      a whole file to a Scenario, or every problem it has
expectations  a check against what the ResourceManager shows: held, or a failure
views         what the ResourceManager shows to an expectation
schedulers    a scenario for another scheduler than its own
player        the steps carried out, by the front door of the core
command       `yarnbox scenario run` and `yarnbox scenario check`
"""
