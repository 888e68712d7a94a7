"""What pages say, made of what REST answers.

overview     the page of the cluster
application  the page of an application
node         the page of a node
about        the page About
heat         the heat map of nodes
lists        the lists, and the pages that are lists: columns, filters, choices
actions      what may be done from a page
blocks       headings, texts, tables and charts, of which pages consist
charts       the charts of the cluster and of queues
facts        a figure by its name, and what else is said in a few words
queue        the page of the scheduler and of the chosen queue
shell        what stands around every page
taskstream   how containers over time are grouped and coloured
terms        what words of the pages mean
why          why an application waits
"""
