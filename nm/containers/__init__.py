"""A container's life on its node.

container         ContainerImpl: table and hooks
container_state   what a container is
launching         its processes, started and ended
scheduler         guaranteed containers at once, opportunistic ones in a queue
retry             whether a container that failed is started again
"""
