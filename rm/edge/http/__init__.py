"""The RM over HTTP: REST, metrics and the pages, in the RM's own loop.

    server      the listening end: routes, who asks, what becomes of refusals
    cross_origin  which scripts of other origins may read answers
    calls       one request as a value, and what answers it
    rest/       the calls of Hadoop's REST API; reads run between turns
    sharing     lists that many ask for are made once
    page_answers  what the pages ask for beside Hadoop's REST
    history     and what has been, with lists of thousands a page at a time
    stream      the events, live
    metrics     /jmx and /prom
    pages       the document, scripts and styles of the web UI
    container_logs  the end of a container's log, from its node
    proxy       /proxy: the pages of AMs
    isolation   which keeps them apart from the RM's own, for a browser
    tools       /conf, /logs, /logLevel, /stacks, /isActive, /scheduler/logs
    adhoc       the scheduler's decisions of a short time, in a file

Reads are short or cut in slices, so that no heartbeat waits for a page.
"""
