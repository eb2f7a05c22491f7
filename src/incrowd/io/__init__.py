"""Files in and out, written whole or not at all."""

from incrowd.io._atomic import atomic_path, remove
from incrowd.io._folder import atomic_folder
from incrowd.io._write import write_table

__all__ = ["atomic_folder", "atomic_path", "remove", "write_table"]
