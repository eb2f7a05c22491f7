"""The annexes of a report: what its words mean, and which rule asks for which of its sections."""

from __future__ import annotations

from incrowd.api._plain_words import GLOSSARY
from incrowd.report import Section, Table

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
