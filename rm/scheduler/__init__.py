"""The schedulers, and the parts that they share.

base         what a scheduler is; completion, launch, nodes
context      what a scheduler can reach
register     the applications that it has accepted
application  an application and its attempt: containers, reservations, delay counters
node         a node's books; nodes by host, rack and partition
usage        the sums, and the one door to them
calculator   how resources compare
checks       why a request is refused: reasons, checks and their numbers
activities   recorded allocation passes, as all schedulers show them
plan_queues  what a scheduler does for plan reservations
configuration_change  a change of the configuration by API
custom       classes of a user's own, named by dotted paths
constraint   placement constraints and the tags of containers
admission/   submissions and asks: let in, normalized
containers/  completion, release, updates, recovery of containers
capacity/    the CapacityScheduler
fair/        the FairScheduler
showing      what each scheduler shows of queues and applications; views has the values
fifo         the smallest scheduler; read it first
"""
