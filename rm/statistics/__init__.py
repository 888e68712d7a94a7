"""What is counted, and what the scheduler did last.

counters   applications and containers by queue, as QueueMetrics counts them
health     the last allocation, release, preemption and reservation
"""
