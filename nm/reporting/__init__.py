"""What a node tells the ResourceManager.

status        registration, heartbeats, what their answers mean
descriptors   labels and attributes that the node reports
health        whether the node is healthy
"""
