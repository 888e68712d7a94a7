"""fair-scheduler.xml: read, checked, and the shares that it gives.

document              the file as elements with their lines
grammar               which elements and attributes it may have
amounts               amounts and percentages as it writes them
allocations           the file as a frozen tree, checked whole
loader                when it is read again, and what becomes of a bad one
configuration_check   what is allowed and hardly meant
forecast              what shares it gives on a cluster of some size
"""
