"""What columns are called in English, German, French and Spanish, and what that says about them."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

Guess = Literal["identifier", "quasi", "sensitive"]


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that columns are often about.

    Attributes
    ----------
    about
        What, in a few words.
    role
        The role that such a column usually has.
    words
        Words and phrases that name it, in small letters without accents, separated by ``|``.
    sure
        Whether it nearly always has that role.
    """

    about: str
    role: Guess
    words: str
    sure: bool = True

    @property
    def phrases(self) -> tuple[str, ...]:
        """The words and phrases one by one."""
        return tuple(phrase.strip() for phrase in self.words.split("|"))


TOPICS = (
    Topic(
        "a person's name",
        "identifier",
        "name|names|first name|firstname|given name|last name|lastname|surname|family name|full name|middle name|"
        "maiden name|patient name|initials|vorname|nachname|familienname|geburtsname|nom|prenom|nom de famille|"
        "nombre|nombres|apellido|apellidos",
    ),
    Topic(
        "an official number of a person",
        "identifier",
        "ssn|social security|social security number|national id|nhs number|nhs|passport|passport number|tax id|"
        "driving licence|license number|licence number|license plate|sozialversicherungsnummer|svnr|"
        "versichertennummer|krankenversichertennummer|kvnr|steuernummer|steuer id|ausweisnummer|personalausweis|"
        "reisepass|kennzeichen|numero de securite sociale|securite sociale|nir|insee|passeport|numero fiscal|"
        "dni|nif|nie|curp|rfc|cedula|pasaporte|seguridad social|numero de seguridad social",
    ),
    Topic(
        "a number that stands for a person or a record",
        "identifier",
        "id|uid|uuid|guid|mrn|identifier|record number|patient id|patient number|person id|customer id|user id|"
        "user|username|login|account|account number|iban|credit card|case number|member id|serial number|"
        "patientennummer|patienten id|personalnummer|fallnummer|kundennummer|mitgliedsnummer|aktenzeichen|"
        "kontonummer|identifiant|matricule|numero patient|numero de dossier|numero de compte|identificador|"
        "expediente|numero de cuenta|numero de paciente|historia clinica",
    ),
    Topic(
        "an address or a way to reach a person",
        "identifier",
        "email|e mail|mail|email address|phone|telephone|phone number|mobile|cell|fax|address|street|house number|"
        "ip|ip address|url|website|device id|mac address|telefon|telefonnummer|handy|mobilnummer|adresse|strasse|"
        "anschrift|hausnummer|wohnadresse|courriel|rue|portable|correo|correo electronico|telefono|movil|calle|"
        "direccion|domicilio",
    ),
    Topic(
        "a picture of a person or their body",
        "identifier",
        "photo|picture|image|fingerprint|signature|foto|bild|unterschrift|empreinte|firma|huella",
    ),
    Topic(
        "free text",
        "identifier",
        "note|notes|comment|comments|remark|remarks|free text|description|narrative|anamnese|bemerkung|"
        "bemerkungen|kommentar|freitext|beschreibung|notiz|commentaire|remarque|texte libre|observations|"
        "comentario|comentarios|observaciones|descripcion|nota|notas",
    ),
    Topic(
        "a date of birth",
        "quasi",
        "birth date|birthdate|date of birth|dob|birthday|birth year|year of birth|birth month|yob|geburtsdatum|"
        "geburtstag|geburtsjahr|geburtsmonat|geb datum|date de naissance|naissance|annee de naissance|"
        "fecha de nacimiento|fecha nacimiento|nacimiento|ano de nacimiento",
    ),
    Topic("an age", "quasi", "age|age group|ages|alter|altersgruppe|lebensalter|edad|grupo de edad|tranche d age"),
    Topic("a sex or gender", "quasi", "sex|gender|geschlecht|sexe|genre|sexo|genero"),
    Topic(
        "a postcode",
        "quasi",
        "zip|zipcode|zip code|postcode|postal code|post code|plz|postleitzahl|code postal|cp|codigo postal",
    ),
    Topic(
        "a place",
        "quasi",
        "country|nation|nationality|native country|citizenship|city|town|region|state|county|province|district|"
        "municipality|canton|location|place|place of birth|birthplace|residence|latitude|longitude|lat|lon|geo|"
        "land|staatsangehorigkeit|nationalitat|herkunft|herkunftsland|stadt|ort|wohnort|geburtsort|bundesland|"
        "kreis|landkreis|gemeinde|kanton|bezirk|pays|nationalite|ville|commune|departement|lieu de naissance|"
        "pais|nacionalidad|ciudad|municipio|provincia|comunidad|lugar de nacimiento|residencia",
    ),
    Topic(
        "work",
        "quasi",
        "job|occupation|profession|employer|company|work|workclass|work class|position|job title|industry|beruf|"
        "tatigkeit|arbeitgeber|firma name|branche|metier|emploi|employeur|entreprise|poste|profesion|ocupacion|"
        "trabajo|empleo|empleador|empresa|oficio",
    ),
    Topic(
        "education",
        "quasi",
        "education|degree|school|university|bildung|schulabschluss|abschluss|schule|universitat|ausbildung|"
        "education level|diplome|ecole|universite|formation|niveau d etudes|educacion|estudios|escuela|"
        "universidad|titulo|nivel de estudios",
    ),
    Topic(
        "a family",
        "quasi",
        "marital status|marital|married|children|number of children|household|household size|household type|"
        "relationship|family size|familienstand|kinder|kinderzahl|haushalt|haushaltsgrosse|etat civil|"
        "situation familiale|enfants|nombre d enfants|menage|estado civil|hijos|numero de hijos|hogar",
    ),
    Topic(
        "origin",
        "quasi",
        "race|ethnicity|ethnic group|ethnic|skin colour|skin color|language|mother tongue|ethnie|hautfarbe|"
        "muttersprache|sprache|origine|langue|langue maternelle|raza|etnia|origen|idioma|lengua materna",
        sure=False,
    ),
    Topic(
        "a date that others may know",
        "quasi",
        "date|admission|admission date|discharge|discharge date|visit date|date of death|death date|event date|"
        "hire date|datum|aufnahmedatum|entlassdatum|entlassungsdatum|aufnahme|entlassung|sterbedatum|todesdatum|"
        "date d admission|date de sortie|date de deces|fecha|fecha de ingreso|fecha de alta|fecha de defuncion",
    ),
    Topic(
        "a body",
        "quasi",
        "height|weight|eye colour|eye color|hair colour|hair color|disability|grosse|korpergrosse|gewicht|"
        "augenfarbe|haarfarbe|behinderung|taille|poids|yeux|cheveux|handicap|estatura|altura|peso|ojos|discapacidad",
        sure=False,
    ),
    Topic(
        "health",
        "sensitive",
        "diagnosis|diagnoses|disease|illness|condition|health condition|icd|icd 10|icd10|symptom|symptoms|"
        "treatment|therapy|medication|drug|drugs|procedure|drg|hiv|hiv status|test result|lab result|outcome|"
        "cause of death|blood pressure|bmi|pregnant|pregnancy|smoker|smoking|diagnose|diagnosen|krankheit|"
        "erkrankung|befund|behandlung|therapie|medikament|medikation|symptome|todesursache|schwanger|raucher|"
        "diagnostic|maladie|pathologie|traitement|medicament|symptomes|cause de deces|grossesse|fumeur|"
        "diagnostico|enfermedad|patologia|tratamiento|medicamento|medicacion|sintoma|sintomas|causa de muerte|"
        "embarazo|fumador",
    ),
    Topic(
        "money",
        "sensitive",
        "income|salary|salary class|wage|wages|pay|earnings|debt|credit|credit score|loan|balance|wealth|rent|"
        "cost|costs|price|bonus|benefit|benefits|einkommen|gehalt|lohn|schulden|kredit|vermogen|kosten|miete|"
        "sozialhilfe|revenu|revenus|salaire|dette|dettes|cout|couts|loyer|ingreso|ingresos|salario|sueldo|renta|"
        "deuda|deudas|coste|costo",
        sure=False,
    ),
    Topic(
        "belief",
        "sensitive",
        "religion|faith|denomination|political party|party|vote|union|union member|political opinion|konfession|"
        "partei|gewerkschaft|weltanschauung|parti|syndicat|opinion politique|partido|sindicato|opinion",
    ),
    Topic(
        "private life",
        "sensitive",
        "sexual orientation|orientation|conviction|convictions|criminal record|offence|offense|crime|arrest|"
        "sexuelle orientierung|vorstrafe|vorstrafen|straftat|delikt|orientation sexuelle|condamnation|delit|"
        "orientacion sexual|condena|delito|antecedentes",
    ),
    Topic(
        "performance",
        "sensitive",
        "grade|grades|score|rating|mark|marks|exam|result|performance|noten|zensur|punktzahl|ergebnis|"
        "bewertung|leistung|resultat|evaluation|calificacion|puntuacion|resultado|evaluacion",
        sure=False,
    ),
)
"""What to look for; of several topics that a name fits, the one with the longest word counts."""

_COMPOUND = 6
"""From so many letters on a word is found inside of another one too, as German builds them."""


def topic_of(name: str) -> Topic | None:
    """Say what a column is about, by its name."""
    best: tuple[int, Topic] | None = None
    for topic in TOPICS:
        weight = max(fit_of(name, phrase) for phrase in topic.phrases)
        if weight and (best is None or weight > best[0]):
            best = weight, topic
    return None if best is None else best[1]


def fit_of(name: str, phrase: str) -> int:
    """Say how well a word or phrase fits a name: the longer the better, 0 if it does not."""
    spaced, joined = _written(name)
    written = phrase.replace(" ", "")
    if f" {phrase} " in spaced or written == joined:
        return 2 * len(written) + 1
    return 2 * len(written) if len(written) >= _COMPOUND and written in joined else 0


@functools.lru_cache(maxsize=1_000)
def _written(name: str) -> tuple[str, str]:
    """Write the words of a name with spaces between them and around, and without."""
    parts = tokens_of(name)
    return f" {' '.join(parts)} ", "".join(parts)


def tokens_of(name: str) -> list[str]:
    """Cut a name into words: small letters, no accents, numbers apart; ``dateOfBirth`` is three words."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain).lower()
    return re.findall(r"[a-z]+|[0-9]+", plain)
