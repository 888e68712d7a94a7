"""Everything that can happen inside the ResourceManager.

The base class of an event says who handles it; the dispatcher routes by it and nothing else. Names are
mechanical, entity plus Hadoop's constant: RMAppEventType.ATTEMPT_FAILED is AppAttemptFailed,
RMAppAttemptEventType.EXPIRE is AttemptExpire, SchedulerEventType.NODE_UPDATE is SchedulerNodeUpdate. Events
carry ids and values, never entities. What a user did to a queue or a label arrives as a call, not an event.

    app        RMApp, RMAppAttempt, the memory of completed applications
    container  RMContainer
    node       RMNode, the list of nodes, the monitors
    scheduler  the scheduler, the placement processor
    names      our names beside Hadoop's, as a page of the manual
"""
