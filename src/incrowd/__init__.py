"""Hide every person of a table in a crowd, prove it, attack it, and show what it cost."""

import lazy_loader

# The public names stand once, in ``__init__.pyi``: a name's room is loaded when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
