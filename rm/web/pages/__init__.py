"""What pages say, made of what REST answers.

overview  the page of the cluster
terms     what words of the pages mean
"""
