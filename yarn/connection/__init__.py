"""How processes find and call one another.

address       host and port; to which addresses a daemon binds, and what it announces
address_book  where the emulated hosts really listen
rpc           records over gRPC: serving and calling
rm_ids        several ResourceManagers in one configuration
failover      calls that go to whichever ResourceManager is active; whether clients wait for one
hosting       what a NodeManager tells its containers of its host
dask          a connection to a cluster of Dask's
"""
