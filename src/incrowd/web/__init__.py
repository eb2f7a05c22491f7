"""The local web page: clicks in, the api called, a page out."""

from incrowd.web._app import make_app
from incrowd.web._guard import Settings
from incrowd.web._serve import serve

__all__ = ["Settings", "make_app", "serve"]
