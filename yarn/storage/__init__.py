"""What is kept in files.

journal           records kept one after the other, durable before their call is answered
sealed_store      entries that know whether they are whole and whose they are
temporary         tables outside memory, which end with their process
drafts            files that appear when they are whole
event_log         every event that an RM dispatched
aggregated_logs   where the logs of finished containers lie, and their format
tfile             the files of Hadoop's own NodeManagers, read
urls              what a path or URL says of where its file is
remote_files      files by URL
writable          Hadoop's variable length integers
"""
