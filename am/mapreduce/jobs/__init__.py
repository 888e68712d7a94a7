"""The jobs that come along.

wordcount   how often each word stands in a text
pi          an estimate of pi by points in a square
"""
