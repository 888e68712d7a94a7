"""A search for better settings: trials of points in a space, kept in a file, by several methods.

space    which properties take which values
methods  which points are tried: grid, random, Optuna
trials   what was tried, in a file that a later search continues; the Pareto front
running  plays points and judges them
command  `yarnbox whatif search`
"""
