"""Other levels, other group sizes, closeness, the graph, and earlier versions."""

from __future__ import annotations

from playwright.sync_api import expect

from web.browser.steward import Steward, sees


def made(steward: Steward, promise: str = "k>=3", *others: str) -> None:
    steward.opened()
    plan = {"privacy": {"promise": [promise, *others], "max_suppressed": "0.2"}, "search": {"algorithm": "optimal"}}
    steward.api("PATCH", "/api/plan", plan)
    steward.work({"kind": "run", "label": promise})


def test_another_level_shows_what_it_would_publish(steward: Steward) -> None:
    made(steward)
    page = steward.go("choose")
    page.get_by_text("Look around: other levels").click()
    for place in range(3):
        page.locator(f"#turn-{place}").fill("0")
    sees(page, "The promise would not be kept")
    expect(page.locator("#node")).to_contain_text("left out")


def test_every_group_size_has_its_price(steward: Steward) -> None:
    made(steward)
    page = steward.go("choose")
    page.get_by_text("Look around: larger and smaller crowds").click()
    page.get_by_role("button", name="Compute for every group size").click()
    page.get_by_label("Group size", exact=True).fill("0")
    sees(page, r"Groups of at least 1: 100\s%")


def test_the_curve_keeps_the_other_promises_and_names_them(steward: Steward) -> None:
    made(steward, "k>=3", "l>=2[disease]")
    page = steward.go("choose")
    page.get_by_text("Look around: larger and smaller crowds").click()
    page.get_by_role("button", name="Compute for every group size").click()
    page.get_by_label("Group size", exact=True).fill("0")
    sees(page, r"Groups of at least 1: .* Your other promises are kept too: l>=2\[disease\]\.")


def test_a_search_of_another_kind_shows_its_groups(steward: Steward) -> None:
    made(steward)
    page = steward.go("choose")
    page.get_by_text("For experts: how it is searched").click()
    page.get_by_label("Search", exact=True).select_option("Cut numbers in halves")
    sees(page, "Each group its own ranges")
    page.get_by_role("button", name="Search with the plan as it is").click()
    page.get_by_text("Look around: the groups").click()
    sees(page, "Every group has levels of its own")


def test_closeness_and_the_graph_are_a_click_away(steward: Steward) -> None:
    steward.made()
    page = steward.go("check")
    page.locator("#nt > summary").click()
    page.get_by_label("t: distance, at most").fill("1")
    page.get_by_role("button", name="Check", exact=True).click()
    sees(page, "every group looks like the people around it")
    page.locator("#graph > summary").click()
    page.get_by_role("button", name="Draw").click()
    sees(page, "Nobody can be surer of a value than")
    expect(page.locator("#graph-found img")).to_be_visible()


def test_two_versions_can_be_compared_and_an_earlier_plan_taken_again(steward: Steward) -> None:
    made(steward, "k>=3")
    made(steward, "k>=8")
    page = steward.go("release")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#compared td.changed").first).to_be_visible()
    earlier = page.locator("#history tbody tr", has_text="k>=3").first
    earlier.get_by_role("button", name="Use its plan again").click()
    expect(earlier).to_contain_text("matches the plan")
    expect(page.get_by_role("status").first).to_be_visible()


def test_a_node_of_the_lattice_is_clicked_for_its_preview(steward: Steward) -> None:
    made(steward)
    page = steward.go("choose")
    page.get_by_text("Look around: other levels").click()
    page.locator("#around .node").first.click()  # the most exact one, which nobody may have
    sees(page, "The promise would not be kept")
    expect(page.locator("#around .ring")).to_be_visible()
    expect(page.locator("#node")).to_contain_text("of the detail is kept")
    page.locator("#around .node").last.click()
    sees(page, "The promise would be kept")
    assert [page.locator(f"#turn-{place}").input_value() for place in range(3)] == ["4", "1", "5"]


def test_own_questions_are_answered_by_the_table_and_by_the_version(steward: Steward) -> None:
    steward.made()
    page = steward.go("check")
    page.locator("#questions > summary").click()
    page.get_by_label("Only where", exact=True).select_option("age")
    page.get_by_label("age from").fill("30")
    page.get_by_label("age to").fill("39")
    page.get_by_label("and only where").select_option("disease")
    page.get_by_label("disease is").select_option("hiv")
    page.get_by_role("button", name="Ask", exact=True).click()
    sees(page, "How many people where age from 30 to 39 and disease is hiv")
    page.get_by_label("Question", exact=True).select_option("What is the average of a column?")
    page.get_by_role("button", name="Ask", exact=True).click()
    row = page.locator("#answers tbody tr")
    expect(row).to_have_count(2)
    expect(row.first).to_contain_text("Average of age")
    expect(row.first).to_contain_text("39.5")
