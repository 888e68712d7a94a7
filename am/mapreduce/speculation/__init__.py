"""Speculative execution: a second attempt beside one that seems to end late; the first to end wins.

estimators   how long an attempt will take, from what it reported: Legacy and two smoothed ones
speculator   DefaultSpeculator: whom the gain is largest for, and how many at a time
late         LATE: the one that ends last, if it is slow, and not on a slow node
settings     its properties
"""
