"""The local web page: clicks in, other rooms asked, a page out."""

from incrowd.web._app import make_app, serve
from incrowd.web._guard import Settings

__all__ = ["Settings", "make_app", "serve"]
