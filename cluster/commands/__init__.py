"""Sub-commands of `yarnbox`, a module each.

certs      `certs`: a certificate authority, certificates and tokens
demo       `demo`: demos listed, played and shown in the browser
events     `events`: the event log, filtered
examples   `examples`: listed, printed and copied
health     `health rm|nm`: for probes of container engines
state      `check-state`, `backup-state`, `restore-state`
walk       the options of `walk`
why        `why APPLICATION_ID`
"""
