"""RMSettings: every property that the ResourceManager reads, typed, with default, unit and check.

    process.py       RMSettings: liveness, nodes, applications, restarts, scheduler; the others are its fields
    allocation.py    limits of one container, opportunistic containers, placement constraints
    ha.py            several RMs, and ZooKeeper
    labels.py        node labels and node attributes
    logs.py          how long aggregated logs are kept
    web.py           the web server: address, pages, who sees what
    security.py      addresses of the services, ACLs, keys and tokens

Read once, at the edge, with yarn.settings.read; the core is handed the result and never sees a property name.
The properties of capacity-scheduler.xml and fair-scheduler.xml belong to their schedulers.
"""

from yarnbox.rm.settings.allocation import (
    AllocationSettings,
    OpportunisticSettings,
    PlacementConstraintSettings,
)
from yarnbox.rm.settings.ha import HASettings
from yarnbox.rm.settings.labels import AttributeSettings, LabelSettings
from yarnbox.rm.settings.logs import LogRetentionSettings
from yarnbox.rm.settings.process import (
    CAPACITY_SCHEDULER,
    FAIR_SCHEDULER,
    FIFO_SCHEDULER,
    SCHEDULERS,
    RMSettings,
)
from yarnbox.rm.settings.security import AddressSettings, TokenSettings
from yarnbox.rm.settings.web import WebSettings

__all__ = [
    "CAPACITY_SCHEDULER",
    "FAIR_SCHEDULER",
    "FIFO_SCHEDULER",
    "SCHEDULERS",
    "AddressSettings",
    "AllocationSettings",
    "AttributeSettings",
    "HASettings",
    "LabelSettings",
    "LogRetentionSettings",
    "OpportunisticSettings",
    "PlacementConstraintSettings",
    "RMSettings",
    "TokenSettings",
    "WebSettings",
]
