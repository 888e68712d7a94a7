"""The RM over HTTP: REST, metrics and the pages, in the RM's own loop.

    server      the listening end: routes, who asks, what becomes of refusals
    calls       one request as a value, and what answers it
    notation    answers as JSON in Hadoop's two notations, and as XML
    bodies      what callers send, in JSON or XML
    reads       the calls that look; they run between turns
    listings    the calls that answer with long lists
    writes      the calls that change something, through the services that gRPC calls, too
    submission  an application that is submitted
    labels      node labels
    conf        the scheduler's configuration
    activities  what the scheduler thought, and why something waits
    rights      what the pages need beside Hadoop's REST
    history     and what has been, with lists of thousands a page at a time
    draining    nodes let go by hand
    stream      the events, live
    metrics     /jmx and /prom
    pages       the document, scripts and styles of the web UI
    container_logs  the end of a container's log, from its node
    proxy       /proxy: the pages of AMs
    isolation   which keeps them apart from the RM's own, for a browser
    tools       /conf, /logs, /logLevel, /stacks, /isActive, /scheduler/logs
    adhoc       the scheduler's decisions of a short time, in a file
    plans       reservations, delegation tokens, queue access

Reads are short or cut in slices, so that no heartbeat waits for a page.
"""
