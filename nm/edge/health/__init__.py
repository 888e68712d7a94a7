"""How the node finds out how it is: its disks, its scripts, how much its containers write.

disks         local and log directories looked at
log_monitor   how much containers write into their log directories
scripts       health, label and attribute scripts run
providers     scripts and settings asked for health, labels, attributes
"""
