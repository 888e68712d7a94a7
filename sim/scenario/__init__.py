"""Scenario files: one YAML document says a cluster, what happens to it, and what must then hold.

reading/      from the text to checked steps and expectations
playing/      the steps carried out, and compared with what is expected
command       `yarnbox scenario run` and `yarnbox scenario check`
"""
