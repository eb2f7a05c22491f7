"""The annexes of a report: what its words mean, and which rule asks for which of its sections."""

from __future__ import annotations

from incrowd.report import Section, Table

GLOSSARY = (
    ("quasi-identifier", "a column that somebody else may know about a person, such as age or postcode"),
    ("sensitive column", "a column whose value nobody should learn about a person"),
    ("group, class", "all records that look the same in every quasi-identifier"),
    ("generalize", "publish a vaguer value: a range instead of a number, a region instead of a town"),
    ("level", "how vague a column is published; 0 is the value itself"),
    ("left out, suppressed", "not published, because the record would stand out"),
    ("prosecutor", "somebody who looks for a person and knows that the person is in the table"),
    ("journalist", "somebody who looks for any person, and does not know who is in the table"),
    ("marketer", "somebody who links as many records as possible to people"),
    ("baseline", "how often an intruder would be right without the release"),
    ("loss", "the detail that was given up: 0 is the original, 1 is nothing left"),
    ("one of a kind", "alone in a group: nobody else looks the same in the quasi-identifiers"),
    ("k", "the smallest number of people in a group; 1/k is the highest chance to pick the right one"),
    ("l", "how many different values of a sensitive column every group has; entropy l gives rare ones less weight"),
    ("t", "how far the values of a group may differ from the whole table: 0 is the same, 1 as different as can be"),
    ("skew", "how much more frequent a value is in a group than in the whole table"),
    ("population", "everybody from whom the people in the table were drawn, such as the inhabitants of a city"),
    ("pseudonym", "a made-up name for a person; whoever has the key knows who it is"),
    ("SHA-256", "a fingerprint computed from a file; any other file has another one"),
    ("singling out, linkability, inference", "finding a record, linking records of a person, guessing a value (WP216)"),
)
"""Words of a report, for readers who do not know them."""

NOTE = (
    "A section that answers a question is no proof that a rule is met: that is for the people who sign. The "
    "entries name sections of the rules, in the editions below."
)
HEAD = ("section of this report", "EMA and Health Canada", "WP216", "DPIA", "ISO/IEC 27559", "NIST SP 800-188")
MAPPING = (
    ("In short", "actual risk", "", "step 7: outcomes", "8.3.4 re-evaluation", "performance levels"),
    (
        "Purpose and release",
        "context of the release",
        "",
        "(a), (b): steps 1 to 4",
        "6 context",
        "goals, sharing model",
    ),
    ("Limits of this statement", "residual risk", "risks that remain", "(c): step 5", "8.3.4 re-evaluation", "risks"),
    ("Signatures", "", "", "step 7: sign-off", "9.2 before release", "Disclosure Review Board"),
    (
        "Data and columns",
        "the data, direct and quasi-identifiers",
        "techniques",
        "(a): step 2, (d): step 6",
        "7.2 data features",
        "data survey, identifiers",
    ),
    (
        "Scenario and limits",
        "adversaries, plausible attacks, threshold",
        "means likely reasonably to be used",
        "(c): step 5",
        "6.2 threats, 7.3 attacks",
        "risks",
    ),
    (
        "Risk before and after",
        "actual risk against the threshold",
        "singling out, linkability",
        "(c): step 5",
        "8.2.2 quantifying",
        "risks",
    ),
    ("Confidential values", "", "inference", "(c): step 5", "8.2.2 quantifying", "risks"),
    (
        "Simulated attacks",
        "plausible attacks",
        "all three",
        "(c): step 5",
        "8.2.3 adversarial testing",
        "re-identification studies",
    ),
    ("What was changed", "techniques", "generalisation", "(d): step 6", "8.3.3 transforming", "techniques"),
    ("Usefulness", "data utility", "", "(b): step 4", "8.3.3 transforming", "usability"),
    ("How it was searched", "methodology", "", "(d): step 6", "8.3.3 transforming", "techniques"),
    ("How to make it again", "documentation", "", "step 7: record", "9.2 before release", "documentation"),
)
"""Which rule asks for what; DPIA: points of Article 35(7), and steps."""
EDITIONS = (
    (
        "EMA and Health Canada",
        "Anonymisation report, by the steps of EMA's external guidance on Policy 0070 (EMA/90915/2016)",
    ),
    ("WP216", "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques"),
    (
        "DPIA",
        "GDPR, Article 35(7): (a) description, (b) necessity, (c) risks, (d) measures; steps as the UK's ICO has them",
    ),
    ("ISO/IEC 27559", "ISO/IEC 27559:2022, privacy enhancing data de-identification framework; numbers of clauses"),
    ("NIST SP 800-188", "De-Identifying Government Datasets: Techniques and Governance, September 2023"),
)


def glossary() -> Section:
    """Explain the words."""
    table = Table("What the words mean here", ["word", "meaning"], GLOSSARY, most=len(GLOSSARY))
    return Section("glossary", "Annex A: words", [], [table], annex=True)


def mapping() -> Section:
    """Say which rule asks for which section."""
    tables = [
        Table("Where rules ask for what", HEAD, MAPPING),
        Table("The rules", ["rule", "text"], EDITIONS),
    ]
    return Section("mapping", "Annex B: where rules ask for this", [NOTE], tables, annex=True)
