"""What charts and pages are written with.

markup  elements of HTML and SVG; every text is escaped
ticks   where the ticks of an axis lie
"""
