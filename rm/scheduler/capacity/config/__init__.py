"""capacity-scheduler.xml as frozen values.

settings rules              what is read: the settings of every queue, mapping rules
properties values           properties by name and type; the grammars of single values
reading queue_reading mappings    properties to settings
property_names              which properties there are
validation                  rules between queues; what a refresh may change
"""
