"""PySpark programs that the tests submit."""
