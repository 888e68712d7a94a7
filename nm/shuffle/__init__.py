"""The auxiliary service `mapreduce_shuffle`: reducers fetch map output from here, over HTTP.

server   ShuffleService: requests checked, segments sent
"""
