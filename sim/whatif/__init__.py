"""What if: a load under a configuration and under changes of it, and what is certain of the difference.

variants    the base and its changes, by content
growth      a load with more or fewer jobs
study       one play of one variant under one seed; everything that a worker needs
metrics     the figures that are compared, for whom, which way they are good; figures as people read them
statistics  the paired bootstrap over seeds
comparison  a row for each change, group and figure
conditions  the language of --fail-if
compare     all of it as a function
arguments   the options
command     `yarnbox whatif`
search/     settings that serve a goal best
engines/    where plays run
reports/    a comparison for people and programs
"""
