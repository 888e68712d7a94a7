"""Records to the text that Hadoop's commands print. Pure functions: records in, text out.

applications  applications, attempts and containers
nodes         nodes, labels and attributes
queues        queues, alone and in a box
logs          container logs and what is known of them
top           the screen of `yarn top`
"""
