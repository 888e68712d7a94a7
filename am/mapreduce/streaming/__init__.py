"""Streaming: mappers, reducers and combiners that are commands, fed by lines. Hadoop: hadoop-streaming.

options      the command line, and the properties that it stands for
pipes        a command, its lines in, its lines out, what it says on stderr
commands     the mapper and reducer that run one
"""
