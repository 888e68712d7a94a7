"""The daemons of a cluster.

starting    Daemons: with which arguments each is started, whether it runs, how all end
several     several ResourceManagers: which one is active, and how another one is made active
zookeeper   the ZooKeeper that several ResourceManagers share
reports     what the ResourceManager says of the nodes
"""
