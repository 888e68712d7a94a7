"""Which containers a job asks for, in which order, and what it gives up.

allocator    which containers are asked for, and who gets which
waiting      who waits for a container, by priority and place
rampup       how many reduces to ask for while maps run
compute_slots  reduces that copy in small containers and compute in large ones
preemption   what is given up when the RM asks for it
reuse        containers that run one task after another
uber         which jobs run in their AM's container, and in which order
"""
