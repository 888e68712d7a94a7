"""NMSettings: every property that a NodeManager reads, typed, with default, unit and check.

    process.py       NMSettings: addresses, the RM's address, containers, restarts; the others are its fields
    directories.py   local and log directories, their health, localization, staged files, logs
    monitoring.py    memory enforcement, health scripts
    providers.py     node labels and attributes that the node reports about itself

What the node offers (memory, vcores, other types) is read by yarn.node_resources.
"""

from yarnbox.nm.settings.directories import (
    DiskSettings,
    LocalizationSettings,
    LogSettings,
    StagingSettings,
)
from yarnbox.nm.settings.monitoring import HealthSettings, LogMonitorSettings, MonitorSettings
from yarnbox.nm.settings.process import NMSettings
from yarnbox.nm.settings.providers import AttributeProviderSettings, LabelProviderSettings

__all__ = [
    "AttributeProviderSettings",
    "DiskSettings",
    "HealthSettings",
    "LabelProviderSettings",
    "LocalizationSettings",
    "LogSettings",
    "LogMonitorSettings",
    "MonitorSettings",
    "NMSettings",
    "StagingSettings",
]
