"""The tests: they mirror the tree, room by room."""
