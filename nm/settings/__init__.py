"""NMSettings: every property that a NodeManager reads, typed, with default, unit and check.

    process.py       NMSettings: addresses, the RM's address, containers, restarts; the others are its fields
    directories.py   local and log directories, their health, localization, logs and their aggregation
    monitoring.py    memory enforcement, health scripts
    providers.py     node labels and attributes that the node reports about itself

What the node offers (memory, vcores, other types) is read by yarn.node_resources.
"""

from nm.settings.directories import DiskSettings, LocalizationSettings, LogSettings
from nm.settings.monitoring import HealthSettings, MonitorSettings
from nm.settings.process import NMSettings
from nm.settings.providers import AttributeProviderSettings, LabelProviderSettings

__all__ = [
    "AttributeProviderSettings",
    "DiskSettings",
    "HealthSettings",
    "LabelProviderSettings",
    "LocalizationSettings",
    "LogSettings",
    "MonitorSettings",
    "NMSettings",
]
