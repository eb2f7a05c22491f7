"""Which engine does the work: this process, or Spark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from incrowd.api import Plan

ENGINES = ("local", "spark")
Engine = Annotated[str, typer.Option("--engine", metavar="|".join(ENGINES), help="What reads and writes the table.")]
Master = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Which Spark: local[2], yarn, spark://..., sc://... (Connect)."),
]


@contextmanager
def table_of(plan: Plan, engine: str, master: str | None) -> Iterator[Any]:
    """Give the table of a plan as Spark opens it, until the block ends; ``None`` where the plan opens it itself."""
    from incrowd.core import ParameterError
    from incrowd.engines import places_of, read_folder, spark_session

    if engine not in ENGINES or (engine == "local" and master is not None):
        msg = f"--engine must be local or spark, got {engine!r}." if engine not in ENGINES else "--master is for Spark."
        raise ParameterError(msg, hint="write --engine spark --master 'local[2]'.")
    if engine == "local":
        yield None
        return
    place = plan.data.path
    if place is None:
        msg = f"{plan.name!r} names no file as its table, and Spark reads Parquet here."
        raise ParameterError(msg, hint="name a file or folder of Parquet, or use Spark from Python.")
    places = [place] if "://" in place else places_of(plan.path(place))
    with spark_session(master or "local[*]") as session:
        yield read_folder(session, places)
