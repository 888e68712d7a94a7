"""The queues of the FairScheduler: who is served first, and how much each may have.

tree        the queues there are: declared, made on demand, removed when empty
queue       what parent and leaf have in common; the parent
leaf        the leaf: its applications in the order in which they are served
order       siblings with demand, kept in order
policies    fair, fifo, drf and a user's own
shares      fair shares of siblings
running     how many applications may run
placement   rules that choose the queue of a submission
plans       plan queues, and the queues of their reservations
"""
