"""From the records of maps to the sorted records of reduces.

records      keys and values as bytes
segments     sorted records in a file or in memory, some thousand at a time
map_output   partitioned, sorted, combined, spilled
merging      many segments to one, in passes, combined on the way
fetch        map output fetched over HTTP
health       when a reduce stops fetching
fetched      what of it is in memory, what in files
"""
