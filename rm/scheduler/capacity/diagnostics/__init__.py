"""Why something was not allocated, and what a configuration means.

explain am_launch           why an application waits, by the allocator's own checks
activities recording        the decisions at a node, or for an application, recorded while somebody listens
configuration_check         derived quantities of every queue, and what looks wrong
unreachable_rules           mapping rules that an earlier one leaves nothing to match
configuration_difference    what is different between two configurations
"""
