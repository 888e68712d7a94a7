"""How output is there whole or not at all.

protocol     what a committer does
directories  in a file system that renames at once
manifests    by URL, in filesystems that may move nothing at once
choice       which of them an output has
"""
