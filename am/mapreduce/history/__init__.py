"""What happened in a job, from the AM's first line to the page that shows it years later.

jhist     Hadoop's .jhist: an Avro schema and events as JSON
parsed    a job as its events tell it; which of its tasks a next AM need not run again
sums      what can be counted from the events alone
left_behind  the history of a job whose AMs were ended from outside
left_by_url  what jobs leave where hosts share no directory
files     where the files lie: done_intermediate, done, their names, how long they are kept
rest      /ws/v1/history
pages     /jobhistory
catalog   which jobs there are, and those that were looked at last
web       the history server's port for both
client_service  what Hadoop's job clients are answered
server    its process; command: `mapred historyserver`, which becomes that
settings  its properties
"""
