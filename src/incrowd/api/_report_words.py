"""The annexes of a report: what its words mean, and which rule asks for which of its sections."""

from __future__ import annotations

from incrowd.api._plain_words import GLOSSARY
from incrowd.report import Section, Table

NOTE = (
    "A section that answers a question is no proof that a rule is met: that is for the people who sign. Rules stand "
    "with the words of their sections, in the editions given."
)
HEAD = ("section of this report", "EMA and Health Canada", "WP216", "DPIA", "ISO/IEC 27559", "NIST SP 800-188")
MAPPING = (
    ("In short", "residual risk, conclusion", "", "step 7: outcome", "8.3 re-evaluation", "evaluation"),
    ("Purpose and release", "context of the release", "", "steps 1 to 4", "6 context", "goals, sharing model"),
    ("Limits of this statement", "residual risk", "risks that remain", "step 5: risks", "8.3 mitigation", "limits"),
    ("Signatures", "", "", "step 7: sign off", "9 governance", "review board"),
    ("Data", "the data", "", "step 2", "7.2 data features", "the dataset"),
    (
        "Column decisions",
        "direct and quasi-identifiers",
        "techniques",
        "step 6: measures",
        "7.2 attributes",
        "identifiers",
    ),
    (
        "Scenario and limits",
        "adversaries, attacks, threshold",
        "means likely to be used",
        "step 5",
        "6.2, 7.3 attacks",
        "risk",
    ),
    (
        "Risk before and after",
        "initial and residual risk",
        "singling out, linkability",
        "step 5",
        "8.2 identifiability",
        "risk",
    ),
    ("Confidential values", "", "inference", "step 5", "8.2 identifiability", "risk"),
    ("Simulated attacks", "attacks", "all three", "step 5", "8.2.3 adversarial testing", "testing"),
    ("What was changed", "techniques", "generalisation", "step 6", "8.3.3 transforming", "techniques"),
    ("Usefulness", "data utility", "", "step 6", "8.3 mitigation", "utility"),
    ("How it was searched", "methodology", "", "step 6", "8.3 mitigation", "techniques"),
    ("How to make it again", "documentation, software", "", "step 7: record", "9 governance", "documentation"),
)
"""Which rule asks for what."""
EDITIONS = (
    (
        "EMA and Health Canada",
        "Anonymisation report, external guidance on EMA Policy 0070 and Public Release of Clinical Information",
    ),
    ("WP216", "Article 29 Data Protection Working Party, Opinion 05/2014 on Anonymisation Techniques"),
    (
        "DPIA",
        "the seven steps of the data protection impact assessment in the template of the UK's ICO (GDPR, Article 35)",
    ),
    ("ISO/IEC 27559", "ISO/IEC 27559:2022, privacy enhancing data de-identification framework"),
    ("NIST SP 800-188", "De-Identifying Government Datasets: Techniques and Governance, 2023"),
)


def glossary() -> Section:
    """Explain the words."""
    table = Table("What the words mean here", ["word", "meaning"], GLOSSARY)
    return Section("glossary", "Annex A: words", [], [table], annex=True)


def mapping() -> Section:
    """Say which rule asks for which section."""
    tables = [
        Table("Where rules ask for what", HEAD, MAPPING),
        Table("The rules", ["rule", "text"], EDITIONS),
    ]
    return Section("mapping", "Annex B: where rules ask for this", [NOTE], tables, annex=True)
