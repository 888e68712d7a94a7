"""Parts of the HTML pages that reports are: one file each, without scripts, readable offline, light and dark.

markup  elements; every text is escaped
page    the page as a whole, its styles, figures and tables
axes    where the ticks of an axis lie, and how they are named
charts  lines and bars as SVG
"""
