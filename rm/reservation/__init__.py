"""The ReservationSystem: bookings of a plan queue's capacity over time.

profile      amounts over time
timeline     amounts over time as Hadoop's plans keep them
definition   whether a request makes sense at all
planning     where in its window a request fits: greedy, and evenly spread
average      what a user holds on average over a window of time
plan         what one plan queue has booked, and what its sharing policy admits
follower     each step: queues, their capacities and their applications follow the plan
system       what users ask: submit, update, delete, list
stored       reservations in the state store
classes      the classes that Hadoop's files may name
"""
