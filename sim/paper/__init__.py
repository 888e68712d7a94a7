"""The published algorithms, measured: experiments of the literature played by the ResourceManager's own core.

figures      what an experiment comes to: figures with their origin, tables, plots
experiment   what an experiment is: its plays, and what they come to
theory       the formulas of the literature
cluster      clusters of slots, files of the schedulers, and a play on them
offers       an empty cluster handed out, without time
experiments/ one module for each experiment
register     all of them by name
recorded     tables that were played once and are kept
drawing      plots as SVG
files        Markdown, JSON and CSV
command      `yarnbox paper`
"""
