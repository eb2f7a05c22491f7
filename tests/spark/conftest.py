"""Two Spark applications that the tests of this folder share.

Tests that start commands and clusters of their own run beside them where two processes may: ``-n 2 --dist loadgroup``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.extras import skip
from engines.subjects import Subject
from incrowd.engines.spark import _engine as _spark
from spark.applications import connect_server, connect_session, local_application, spark_subject

PANDAS = "ignore:PySpark does not yet fully support pandas:FutureWarning"
"""The one warning that is passed over: Spark warns of pandas 3 when it is imported."""

ONCE = ("test_encoding_", "test_tables_")
"""What is read of odd columns and files is asked of one application: both read them alike."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.filterwarnings(PANDAS))
        shares = isinstance(item, pytest.Function) and {"local", "spark", "subject"} & set(item.fixturenames)
        item.add_marker(pytest.mark.xdist_group("applications" if shares else "processes"))
    items[:] = [item for item in items if not _twice(item)]


def _twice(item: pytest.Item) -> bool:
    """Say whether a test asks Connect what it asks the other application many times over, or that a census asks too."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return params.get("subject") == "connect" and (len(params) > 1 or item.name.startswith(ONCE))


@pytest.fixture(scope="session")
def java() -> None:
    """Java, without which there is no Spark; absent on a laptop, required in CI."""
    if shutil.which("java") is None:
        skip("there is no Java")


@pytest.fixture(scope="session")
def local(java: None) -> Iterator[Any]:  # noqa: ARG001
    """The application in this process."""
    with local_application() as session:
        yield session


@pytest.fixture(scope="session")
def server(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:  # noqa: ARG001
    """The address of the Connect server."""
    with connect_server(tmp_path_factory.mktemp("connect")) as started:
        yield started.address


@pytest.fixture(scope="session")
def connect(server: str, local: Any) -> Iterator[Any]:  # noqa: ARG001
    """A session of the Connect server; Java was started before, for a process with threads of gRPC may fail to fork."""
    with connect_session(server) as session:
        yield session


@pytest.fixture(params=["local", "connect"])
def spark(request: pytest.FixtureRequest) -> Any:
    """Each application in turn."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["local", "connect"])
def subject(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    """A table of each application in turn, for the tests that every engine must pass; the rows of one stay there."""
    if request.param == "connect":
        monkeypatch.setattr(_spark, "MOST", 0)
    return spark_subject(request.param, request.getfixturevalue(request.param), tmp_path)


@pytest.fixture
def typed(subject: Subject) -> Subject:
    """Spark knows the types of its columns."""
    return subject
