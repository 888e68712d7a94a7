"""Where the daemons of a cluster run.

host       what a cluster asks of the hosts of its NodeManagers
local      this machine            launching  daemons started on it
dask       the workers of a Dask cluster         worker  what runs inside of them
"""
