"""What the web shows: pure views of the RM as plain data, one module for each family of answers.

apps        applications, attempts, containers; `finding` pages through long lists of them
nodes       nodes and labels; `rows` has nodes in few words, for heat maps and long tables
queues/     queues and users
cluster     the cluster as a whole
properties  a property, and what its declaration says of it
pages/      what pages say that no REST call of Hadoop's does
saved/      what they show, as files
why         why an application waits
activities  recorded allocation passes
past        containers that ended, the steps of an application's life, shares and figures over time
event_rows  an event as a line of the event log
beans       metrics with Hadoop's names
filters     the filter of every list, and the values that occur in it
grids       the columns of every list, and the order of its rows
values      resources, percentages, maps and moments, of which all answers are made
refusals    errors with the class and the text that Hadoop's clients know

Nothing here knows HTTP, JSON or XML: `rm.edge.http` calls these between turns and writes what they return.
"""
