"""The commands of `yarn`, each a function of a session and its words to an exit status.

reading         what commands share: a line read or refused, help
application     application, app
attempt         applicationattempt
container       container
node            node
queue           queue
cluster         cluster
nodeattributes  nodeattributes
schedulerconf   schedulerconf
administration/ rmadmin
node_words      what administrators write about nodes
logs            logs; which logs, from where
log_request     the words of `logs`, checked
top             top
version         version
programs        jar, resourcemanager, nodemanager: what becomes another process
"""
