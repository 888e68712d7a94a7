"""Where the daemons of a cluster run.

host       what a cluster asks of the hosts of its NodeManagers, and this machine as one
launching  daemons started on this machine
dask       the workers of a Dask cluster         worker  what runs inside of them
mirror     a copy of the run directory on hosts that do not share it
"""
