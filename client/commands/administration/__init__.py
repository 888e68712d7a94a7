"""`yarn rmadmin`: what administrators do to a running ResourceManager.

rmadmin        refreshes, node resources, labels
rmadmin_ha     which ResourceManager is active, which are healthy, and transitions
rmadmin_help   the texts of rmadmin
"""
