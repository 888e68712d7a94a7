"""The list of applications: its columns, by the names of Hadoop's page. `finding` sorts and filters by their
keys.
"""

from __future__ import annotations

from yarnbox.rm.web.pages.blocks import column

APPLICATIONS = (
    column("id", "ID", "ofApp", isCard=True, width=270),
    column("user", "User"),
    column("name", "Name", isCard=True),
    column("queue", "Queue", "ofQueue"),
    column("state", "State", "states", isCard=True),
    column("final", "FinalStatus", "states", "finalStatus", isCard=True),
    column("progress", "Progress", "progress", width=200),
    column("type", "Application Type", read="applicationType"),
    column("tag", "Application Tags", read="applicationTags", isOff=True),
    column("priority", "Application Priority", "count"),
    column("started", "StartTime", "time", "startedTime"),
    column("launched", "LaunchTime", "time", "launchTime", isOff=True),
    column("finished", "FinishTime", "time", "finishedTime"),
    column("containers", "Running Containers", "count", "runningContainers"),
    column("pending", "Pending Containers", "count", "pendingContainers"),
    column("vcores", "Allocated CPU VCores", "count", "allocatedVCores"),
    column("mem", "Allocated Memory", "memory", "allocatedMB"),
    column("gpus", "Allocated GPUs", "count", "allocatedGPUs", isOff=True),
    column("reservedvcores", "Reserved CPU VCores", "count", "reservedVCores", isOff=True),
    column("reservedmem", "Reserved Memory", "memory", "reservedMB", isOff=True),
    column("reservedgpus", "Reserved GPUs", "count", "reservedGPUs", isOff=True),
    column("fairshare", "Fair Share", "memory", "fairShareMB", isOff=True),
    column("queueshare", "% of Queue", "share", "queueUsagePercentage"),
    column("clustershare", "% of Cluster", "share", "clusterUsagePercentage"),
    column("tracking", "Tracking UI", "tracking", "trackingUI"),
    column("blacklisted", "Blacklisted Nodes", "count", "blacklistedNodes", isOff=True),
    column("elapsed", "Elapsed", "lengthOfTime", "elapsedTime", isOff=True),
)
