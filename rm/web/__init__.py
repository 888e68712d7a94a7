"""What the web shows: pure views of the RM as plain data, one module for each family of answers.

queues/ has queues and users.
Nothing here knows HTTP, JSON or XML: `rm.edge.http` calls these between turns and writes what they return.
"""
