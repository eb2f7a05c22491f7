"""Which of HIPAA's 18 kinds of identifiers a column probably is: a suggestion, never one that passes by itself."""

from __future__ import annotations

from collections.abc import Mapping

from incrowd.api._suggest._content import pattern_of
from incrowd.api._suggest._days import are_days
from incrowd.api._suggest._words import fit_of, topic_of
from incrowd.core import Domain

BY_VALUES = {
    "e-mail addresses": "email addresses",
    "web addresses": "web addresses",
    "network addresses": "ip addresses",
    "unique identifiers": "other unique codes",
    "bank accounts": "account numbers",
    "official numbers of persons": "social security numbers",
    "telephone numbers": "telephone numbers",
}
"""What values look like, and the kind that this is."""
BY_WORD: Mapping[str, str] = {
    "telephone numbers": "phone|telephone|phone number|mobile|cell|telefon|telefonnummer|handy|mobilnummer|portable|"
    "telefono|movil",
    "fax numbers": "fax|fax number|telefax",
    "email addresses": "email|e mail|mail|email address|courriel|correo|correo electronico",
    "social security numbers": "ssn|social security|social security number|sozialversicherungsnummer|svnr|"
    "securite sociale|numero de securite sociale|nir|seguridad social|numero de seguridad social",
    "medical record numbers": "mrn|medical record|medical record number|record number|patient id|patient number|"
    "case number|patientennummer|patienten id|fallnummer|numero patient|numero de dossier|expediente|"
    "numero de paciente|historia clinica",
    "health plan numbers": "nhs number|nhs|health plan|insurance number|insurance id|member id|versichertennummer|"
    "krankenversichertennummer|kvnr|mitgliedsnummer",
    "account numbers": "account|account number|iban|credit card|kontonummer|numero de compte|numero de cuenta",
    "licence numbers": "driving licence|license number|licence number|passport|passport number|ausweisnummer|"
    "personalausweis|reisepass|passeport|pasaporte",
    "vehicles": "license plate|licence plate|vehicle|vin|kennzeichen",
    "devices": "device id|mac address|serial number|imei",
    "web addresses": "url|website|web address",
    "ip addresses": "ip|ip address",
    "biometrics": "fingerprint|voice print|iris|empreinte|huella",
    "date": "admission|discharge|aufnahme|entlassung",
}
"""Words that name a kind, in small letters without accents, separated by ``|``."""
BY_TOPIC = {
    "a person's name": "names",
    "an official number of a person": "other unique codes",
    "a number that stands for a person or a record": "other unique codes",
    "a number of a record": "other unique codes",
    "a household's number": "other unique codes",
    "an address or a way to reach a person": "place",
    "a picture of a person or their body": "photographs",
    "a date of birth": "birth date",
    "an age": "age",
    "a postcode": "zip",
    "a place": "place",
    "a date that others may know": "date",
}
"""What a column is about, and the kind that this is. What is not here is for somebody to say."""
LARGER = ("country", "nation", "nationality", "citizenship", "state", "bundesland", "pays", "pais", "land")
"""Places as large as a state or larger: whether they are, somebody must say."""


def likely_kind(name: str, domain: Domain | None = None) -> str | None:
    """Suggest what a column is about, by its values and its name; nothing where only somebody who knows it can say.

    Parameters
    ----------
    name
        The name of the column.
    domain
        Its values, if they are known.

    Notes
    -----
    No suggestion makes a test pass that looks at no value: that a column is none of the 18, or a state, is said by
    people.
    """
    seen = None if domain is None else pattern_of(domain)
    if seen is not None:
        return BY_VALUES[seen]
    topic = topic_of(name)
    about = None if topic is None else BY_TOPIC.get(topic.about)
    kind = _by_word(name) if about in {None, "other unique codes", "place", "photographs"} else about
    if kind is None and about == "place" and any(fit_of(name, word) for word in LARGER):
        return None
    if kind is not None or about is not None:
        return kind or about
    return "date" if domain is not None and _holds_dates(domain) else None


def _by_word(name: str) -> str | None:
    """Give the kind that the longest fitting word names."""
    fits = {kind: max(fit_of(name, word) for word in words.split("|")) for kind, words in BY_WORD.items()}
    best = max(fits, key=lambda kind: fits[kind])
    return best if fits[best] else None


def _holds_dates(domain: Domain) -> bool:
    return domain.kind in {"date", "datetime", "instant"} or (domain.kind == "text" and are_days(domain))
