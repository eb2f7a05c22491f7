"""The charts of a run: their descriptions in one file, and each as what draws it in a file of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from incrowd.api import Release
from incrowd.web._history import read_json, write_json, write_text
from incrowd.web._refusal import Plain, refusal
from incrowd.web._worker import Teller

SHARED = "window.vegaEmbed = vegaEmbed; window.vega = vega; window.vegaLite = vegaLite;"
"""What other scripts of a page see of the program that draws charts."""


def quick_charts(release: Release) -> list[Plain]:
    """Draw what needs no attacks."""
    charts = release.charts
    drawn = [
        ("class-sizes", "Records by the size of their group", charts.class_sizes()),
        ("ladders", "How much vaguer each column became", charts.ladders()),
        ("losses", "Detail lost per column", charts.losses()),
    ]
    return [
        {"kind": kind, "title": title, "reading": "", "advice": "", "chart": chart.to_dict(validate=False)}
        for kind, title, chart in drawn
    ]


def write_charts(folder: Path, charts: Iterable[Plain]) -> list[Plain]:
    """Write charts into the folder of a run; give them without what draws them."""
    place = folder / "charts"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    described: list[Plain] = []
    seen: dict[str, int] = {}
    for one in charts:
        if one["chart"] is None:
            continue
        number = seen[one["kind"]] = seen.get(one["kind"], 0) + 1
        name = one["kind"] if number == 1 else f"{one['kind']}-{number}"
        write_json(place / f"{name}.json", one["chart"])
        if isinstance(one["chart"].get("svg"), str):  # drawn by ourselves
            write_text(place / f"{name}.svg", one["chart"]["svg"])
        described.append({**{key: value for key, value in one.items() if key != "chart"}, "name": name})
    write_json(folder / "charts.json", described)
    return described


def chart_file(folder: Path, name: str, ending: str) -> Path:
    """Give the file of a chart; names are ours, so that nothing else can be asked for."""
    known = [one["name"] for one in read_json(folder / "charts.json", [])]
    if name not in known:
        raise refusal(404, "not-found", "There is no such chart.", "look at the list of charts.")
    return folder / "charts" / f"{name}{ending}"


def bundle(given: Plain, teller: Teller) -> Plain:
    """Write down the program that draws charts in a browser; it comes with the one that draws them here."""
    import vl_convert  # noqa: PLC0415 - takes a while, and is needed once

    del teller
    write_text(Path(given["path"]), str(vl_convert.javascript_bundle(SHARED)))
    return {}


def draw(given: Plain, teller: Teller) -> Plain:
    """Draw a chart as SVG, with its title and how to read it."""
    import vl_convert  # noqa: PLC0415 - drawing is loaded when something is drawn

    from incrowd.report._texts import shown_everywhere  # noqa: PLC0415

    del teller
    folder, name = Path(given["folder"]), given["name"]
    found = next(one for one in read_json(folder / "charts.json") if one["name"] == name)
    drawn = vl_convert.vegalite_to_svg(shown_everywhere(read_json(folder / "charts" / f"{name}.json")))
    write_text(folder / "charts" / f"{name}.svg", _titled(str(drawn), found))
    return {}


def _titled(svg: str, found: Any) -> str:
    """Let whoever cannot see the picture hear what it is."""
    words = f"<title>{escape(found['title'])}</title><desc>{escape(found['reading'])}</desc>"
    return re.sub(r"(<svg[^>]*>)", lambda begin: begin[1] + words, svg, count=1)
