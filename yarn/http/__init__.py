"""What every daemon serves over HTTP.

listening       sockets, and the limits of connections
server          ports and connections; aiohttp
access          which requests are answered, by their Host and Origin
notation        answers as JSON and XML, as Hadoop's clients know them
html_pages      HTML pages of all daemons but the RM
servlets        configuration, stacks and log levels
jmx             metrics as beans; Prometheus' text
unknown_path    the answer where nothing is
process_beans   memory, threads, log lines and calls of a process
"""
