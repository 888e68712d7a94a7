"""What a deterministic core runs on, and what drives it.

clock          where now_ms comes from
turn           a turn as its handlers see it
turns          what a core has at hand during a turn
event          what happened, and to whom it is sent
dispatcher     the queue of events, drained before a turn ends
timers         events that fall due later
liveliness     who has been silent for too long
statemachine   state machines as tables
story          a line per transition and per decision
ordered        collections whose order is stated
java_order     the order in which Java iterates over a HashMap, and in which a PriorityQueue gives out equals
driver         turns, effects and timers within an asyncio loop
tasks          asyncio tasks and their ends; the end of the process that started this one
pause          notices that the process was paused
interpreter    when Python looks for cyclic garbage; the end of a process
"""
