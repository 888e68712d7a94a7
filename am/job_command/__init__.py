"""`yarnbox job`: the command, the examples of several steps, and what it shows.

command    `yarnbox job`
examples   grep, sort, join and terasort, which take several steps
output     what an application's containers wrote, when it has ended
progress   how far a job is, on a terminal and elsewhere
"""
