"""The NodeManager: a core like the ResourceManager's, and the executors that act for it.

settings/    every property of a NodeManager
"""
