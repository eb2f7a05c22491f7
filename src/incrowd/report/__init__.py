"""Charts and pages: drawing what it is handed, and the sections that hand it over."""

from incrowd.report._bipartite_graph import bipartite_svg
from incrowd.report._charts import Charts
from incrowd.report._page import (
    LONG,
    Figure,
    Page,
    Section,
    State,
    Table,
    html_of,
    letter_of,
    plain_page,
)
from incrowd.report._panel import Picture
from incrowd.report._plots import bars_with_limit, points_beside, series_bars, series_curves, yes_and_no
from incrowd.report._report import charts_of, owner_page, write_report, write_reports
from incrowd.report._verdict_section import doubts, worst_findings

__all__ = [
    "LONG", "Charts", "Figure", "Page", "Picture", "Section", "State", "Table", "bars_with_limit", "bipartite_svg",
    "charts_of", "doubts", "html_of", "letter_of", "owner_page", "plain_page", "points_beside", "series_bars",
    "series_curves", "worst_findings", "write_report", "write_reports", "yes_and_no",
]  # fmt: skip
