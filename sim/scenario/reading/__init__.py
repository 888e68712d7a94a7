"""From the text of a scenario to checked steps and expectations.

source          YAML to a tree that remembers its lines, within limits
fields          one value at a time out of that tree
names           which applications, nodes, labels and queues the file has introduced so far
steps           the steps as values, one class a verb
verbs           the verb of a step to its class
verbs_cluster   the same for nodes, labels and plans
requests        what a step says, as records that AMs, clients and administrators send
constraints     placement constraints in their short form
checks          the expectations as values, read out of an `expect`
guide           what to watch and to change, for the recording of a scenario
paths           files that a scenario names, relative to its own
production      a configuration directory, or one of its files
schedulers      a scenario for another scheduler than its own
document        a whole file to a Scenario, or every problem it has
"""
