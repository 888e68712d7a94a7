"""`yarnbox view`: the pages of the ResourceManager over recordings, without a cluster.

answers      what the REST API would have answered at a moment of a recording
containers   the containers in it, for the pages
details      applications, preemptions and plans in them
comparison   two recordings on the same axes
compared     the page of that
run          the page of one run: figures and queues
guide        what a run with a guide says to watch, and the pictures that show it
timebar      the slider of time, with the moments of a run in words
simulation   the page from which simulations are run
units        times and indexes in words
library      the recordings that are shown, and the simulations that are run for it
worker       the process in which a simulation from the page runs
server       the listening end: loopback alone
command      arguments, and the end by Ctrl-C
"""
