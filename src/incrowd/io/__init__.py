"""Files in and out, written whole or not at all."""

from incrowd.io._atomic import atomic_path

__all__ = ["atomic_path"]
