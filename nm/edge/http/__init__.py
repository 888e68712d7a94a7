"""The NodeManager over HTTP: REST, pages, metrics and the logs of containers.

web         the routes, and the REST API
views       node, applications and containers as plain data
pages       the node's pages for people
node_logs   the logs of containers, on disk or collected
past_logs   collected logs of this node
metrics     the node's metrics as a bean
refusals    refusals in the shape that Hadoop's clients know
"""
