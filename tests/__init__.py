"""The tests: they mirror the tree, package by package."""
