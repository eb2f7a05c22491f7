from __future__ import annotations

import pytest

from incrowd.api._suggest._words import pieces_of, tokens_of, topic_of, topics_of, vocabulary


def role_of(name: str) -> str | None:
    topic = topic_of(name)
    return None if topic is None else topic.role


@pytest.mark.parametrize(
    ("names", "role"),
    [
        ("name LastName Vorname nachname prénom apellidos patient_name", "identifier"),
        ("ssn SozialversicherungsNr-SVNR DNI NIR nhs_number", "identifier"),
        ("id PatientID patient_id Patientennummer matricule expediente", "identifier"),
        ("email E-Mail telefono Telefonnummer Adresse Straße rue calle", "identifier"),
        ("notes Bemerkungen commentaire observaciones", "identifier"),
        ("birth_date dateOfBirth DOB Geburtsdatum date_de_naissance fecha_nacimiento", "quasi"),
        ("age Alter edad sex Geschlecht sexe género", "quasi"),
        ("zip PLZ code_postal CodigoPostal postcode", "quasi"),
        ("country Staatsangehörigkeit ville municipio native-country", "quasi"),
        ("job Beruf métier profesión occupation workclass", "quasi"),
        ("marital-status Familienstand état_civil estado_civil education Schulabschluss", "quasi"),
        ("admission_date Aufnahmedatum fecha_de_ingreso", "quasi"),
        ("diagnosis Hauptdiagnose maladie enfermedad ICD10 medication", "sensitive"),
        ("income Jahreseinkommen salaire sueldo salary-class cost", "sensitive"),
        ("religion Konfession partido sexual_orientation Vorstrafen", "sensitive"),
        ("cognome codice_fiscale achternaam BSN sobrenome CPF", "identifier"),
        ("eta sesso leeftijd geslacht idade sexo_paciente", "quasi"),
        ("comune_residenza gemeente município stato_civile burgerlijke_staat estadocivil", "quasi"),
        ("data_nascita geboortedatum data_nascimento", "quasi"),
        ("malattia ziekte doença reddito inkomen renda", "sensitive"),
        ("docvis hospvis hhninc wagew linc tb hf npartner abdpain", "sensitive"),
        ("yschool edlevel agegrp marstat urbrur outwork", "quasi"),
        ("hhid idhogar haushaltsnummer huishoudnr", "household"),
        ("sampling_weight pweight fnlwgt Hochrechnungsfaktor weegfactor", "weight"),
    ],
)
def test_names_in_seven_languages_say_what_a_column_is(names: str, role: str) -> None:
    assert {name: role_of(name) for name in names.split()} == dict.fromkeys(names.split(), role)


@pytest.mark.parametrize("name", ["x1", "flag", "sexton", "page", "b", "", "年齢"])
def test_other_names_say_nothing(name: str) -> None:
    assert topics_of(name) == []


def test_names_are_cut_into_words() -> None:
    assert tokens_of("dateOfBirth") == ("date", "of", "birth")
    assert tokens_of("ICD10-Code_Größe") == ("icd", "10", "code", "grosse")


@pytest.mark.parametrize(
    ("name", "pieces"),
    [
        ("distvct", ("dist", "VCT")),
        ("villnum", ("vill", "num")),
        ("censdead", ("cens", "dead")),
        ("lninc", ("lninc",)),
        ("schulab", ("schulab",)),
        ("page", ("page",)),
        ("sexton", ("sexton",)),
        ("since", ("since",)),
    ],
)
def test_glued_names_are_cut_where_nearly_all_of_them_is_known(name: str, pieces: tuple[str, ...]) -> None:
    assert pieces_of(name) == pieces


def test_what_an_event_is_called_does_not_hide_that_it_is_a_date() -> None:
    assert topics_of("date_of_diagnosis")[0].topic.about == "a date that others may know"
    assert topics_of("Diagnosedatum")[0].topic.role == "quasi"
    assert "an age" in [one.topic.about for one in topics_of("age_at_diagnosis")[:2]]


def test_the_number_of_a_question_says_nothing() -> None:
    assert topics_of("ER30002") == []
    assert topics_of("plh0171") == []
    assert topics_of("hiv2004")[0].topic.about == "health"


def test_words_are_written_as_names_are_read() -> None:
    words = [*vocabulary().phrases, *((word,) for word in (*vocabulary().stems, *vocabulary().endings))]
    assert [phrase for phrase in words if tokens_of(" ".join(phrase)) != phrase] == []
