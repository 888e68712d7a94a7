"""The experiments, one module each.

water      water filling; two levels; a tenth of the slots
head       the job at the head of the line: locality of small jobs, without and with delay
sticky     jobs that keep their slots
patience   how long to wait: locality and wait against D
breaks     where waiting is in vain: long tasks, hot spots
load       a hundred jobs of many users: FIFO, fair sharing, delay
isolation  minimum shares, Tmin and Tfair
reduces    maps and reduces depend on each other
static     private clusters against a shared one
holding    who holds which nodes for how long, and what for
stragglers backup tasks
day        a day like one of Facebook's: FIFO, Capacity, Fair
guarantee  preemption of the CapacityScheduler
labels     exclusive and lending partitions
drf        dominant resource fairness
"""
