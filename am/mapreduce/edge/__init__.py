"""The HTTP port of a job's AM.

umbilical_server   calls of tasks to turns of the core
port               accepts connections, and answers tasks and the job's own client
pages              everything else, by aiohttp
"""
