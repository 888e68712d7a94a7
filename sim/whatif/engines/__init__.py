"""Where the plays of a study run.

pool       processes of this machine
dask       a Dask cluster
arguments  the options that choose one
"""
