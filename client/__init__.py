"""Clients of a cluster: YarnClient and AdminClient for programs, and the `yarn` command.

yarn_client   the calls of a client of the ResourceManager, and the waiting that goes with them
admin_client  the calls of an administrator
retry         calls that outlive a restart of the ResourceManager
web           the REST resources that commands read: scheduler configuration, container logs, attempts

main          finds the command and runs it; what nobody caught becomes an exit status
session       where the cluster is and who calls: configuration, user, clients, output
options       Commons CLI's grammar
arguments     words of the command line to ids and numbers
failures      exit statuses, and the errors that end a command
text          values as Java prints them
printing/     records to text, one module per kind of report
commands/     one module per command or family of commands
"""
