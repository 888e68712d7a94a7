"""The files that containers ask for, from where they are to the node's caches.

resources   what containers ask to find
localized   the caches; LocalizedResource's table
localizer   resources copied and unpacked
"""
