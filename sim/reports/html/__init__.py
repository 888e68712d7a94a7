"""Parts of the HTML pages that reports are: one file each, without scripts, readable offline, light and dark.

page    the page as a whole, its styles, figures and tables
axes    how ticks are named, and which points of a line are drawn
charts  lines and bars as SVG
"""
