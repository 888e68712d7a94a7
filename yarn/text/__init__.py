"""What people write and read.

command_parser   command lines whose faults are one line
numbers          numbers of command lines
words            numbers in sentences, tables, what was probably meant by a misspelt name
moments          moments as Hadoop's clients write them
"""
