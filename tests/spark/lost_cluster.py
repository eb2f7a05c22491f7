"""Run the command line, and end a Connect server by its process group just before the table is written.

``python lost_cluster.py GROUP anonymize plan.toml ...``
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from incrowd.cli import main
from incrowd.engines.spark import _backend as _spark_backend, _session as _spark_session
from incrowd.engines.spark._backend import write_folder


def write(frame: Any, path: Path) -> None:
    os.killpg(GROUP, signal.SIGKILL)
    write_folder(frame, path)


if __name__ == "__main__":
    GROUP = int(sys.argv.pop(1))
    _spark_backend.write_folder = write
    _spark_session.RETRIES = 2  # nobody comes back here
    main()
