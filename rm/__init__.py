"""The ResourceManager: a sans-IO core, deterministic, and its edges.

settings/   every property of the RM, typed
events/     everything that can happen
effects     everything that may be asked of the world
context     what a handler can reach
core        the RM: its parts, turns, timers, effects
container   RMContainer
scheduler/  what a scheduler is, and the three of them
"""
