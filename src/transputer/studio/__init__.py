"""The studio: the debugger in a browser, served on the loopback address only."""

from transputer.studio.export import export_site
from transputer.studio.serve import serve

__all__ = ["export_site", "serve"]
