"""A scenario carried out, and compared with what it expects.

world           the ResourceManager, and nodes, applications and containers by name
files           the configuration directory, in memory
waiting         what an AM asks for again after a restart of the ResourceManager
player          the steps carried out, by the front door of the core
app_steps       steps about applications
cluster_steps   steps about nodes, configuration and reservations
views           what the ResourceManager shows to an expectation
expectations    a check against what came about
following       what each step changes, for people
recorder        the story of a play, for JSON
"""
