"""The description of the API, and whether the server keeps to it whatever it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from web.serving import PATIENTS, PLAN, Visitor, serving

SLOW = {("POST", "/api/jobs"), ("POST", "/api/example"), ("GET", "/api/jobs/{number}/events")}
"""What is tried elsewhere: it starts what takes its time, or never ends."""


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    home = tmp_path_factory.mktemp("home")
    (home / "patients.csv").write_text(PATIENTS, encoding="utf-8")
    (home / "plan.toml").write_text(PLAN, encoding="utf-8")
    with serving(home) as server, Visitor(*server) as visitor:
        yield visitor


def described(visitor: Visitor) -> Any:
    return visitor.ask("GET", "/api/openapi.json")


def test_every_request_of_the_documentation_is_described(tried: Visitor) -> None:
    page = (Path(__file__).parents[2] / "docs/reference/web-api.md").read_text(encoding="utf-8")
    for path, methods in described(tried)["paths"].items():
        for method in methods:
            written = f"{method.upper()} {path}".replace("{number}", "{id}")
            assert f"`{written}" in page, written


def test_every_request_has_its_errors_and_a_sentence(tried: Visitor) -> None:
    for methods in described(tried)["paths"].values():
        for one in methods.values():
            assert one["description"].endswith(".")
            assert {"403", "404", "409", "422"} <= set(one["responses"])


def operations(schema: Any) -> Iterator[Any]:
    for result in schema.get_all_operations():
        operation = result.ok()
        if (operation.method.upper(), operation.path) not in SLOW:
            yield operation


def test_no_request_makes_the_server_fail(tried: Visitor) -> None:
    schema = schemathesis.openapi.from_dict(described(tried))
    schema.config.update(base_url=str(tried.base_url))
    own = {"X-Incrowd-Token": tried.headers["X-Incrowd-Token"]}
    checks = [not_a_server_error, content_type_conformance, response_schema_conformance]
    kept = settings(
        max_examples=6,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    seen = 0
    for operation in operations(schema):

        @given(case=operation.as_strategy())
        @kept
        def ask(case: Any) -> None:
            nonlocal seen
            seen += 1
            case.call_and_validate(headers={**own}, cookies=dict(tried.cookies), checks=checks, timeout=60)

        ask()
    assert seen > 100
