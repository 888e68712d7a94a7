"""The jobs that come along.

wordcount   how often each word stands in a text
pi          an estimate of pi by points in a square
grep        what a regular expression matches, and how often
sort        lines of text; keys to reduces by bounds from a sample
terasort    rows of 100 bytes made, sorted, checked
join        lines that have the same key
"""
