"""What pages say, made of what REST answers.

overview     the page of the cluster
application  the page of an application
node         the page of a node
about        the page About
facts        a figure by its name, of which those consist
terms        what words of the pages mean
"""
