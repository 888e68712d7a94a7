"""What people write and read.

command_parser   command lines whose faults are one line
columns          tables of plain text
suggest          what was probably meant by a name that does not exist
words            numbers in sentences
moments          moments as Hadoop's clients write them
"""
