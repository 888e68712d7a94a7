"""The ResourceManager: a sans-IO core and its edges.

settings/    every property of the ResourceManager
"""
