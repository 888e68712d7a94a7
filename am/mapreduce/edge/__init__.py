"""The port of a job's AM, and its end.

port               accepts connections, and tells calls of the umbilical from requests for pages
umbilical_server   calls to turns of the core
pages              REST, by aiohttp
ending             whether an AM that is ended is the last one
"""
