from __future__ import annotations

import pytest

from incrowd.plan.suggestion._words import meaningless_names, pieces_of, tokens_of, topic_of, topics_of, vocabulary


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
        ("imię nazwisko PESEL N°Sécu num_secu förnamn efternavn telefonnummer", "identifier"),
        ("氏名 患者氏名 住所 電話番号 患者ID マイナンバー 姓名 身份证号 手机号 住院号", "identifier"),
        ("kod_pocztowy postnummer płeć wiek data_urodzenia stan_cywilny zawód województwo", "quasi"),
        ("kön kjønn køn födelsedatum fødselsdato sivilstand yrke uddannelse kommune Indlæggelsesdato", "quasi"),
        ("生年月日 性別 年齢 郵便番号 国籍 婚姻 職業 入院日 都道府県 出生日期 性别 年龄 邮编 民族 职业", "quasi"),
        ("rozpoznanie wynagrodzenie wyznanie sjukdom inkomst årslön sykdom månedslønn sygdom indkomst", "sensitive"),
        ("病名 主病名 血圧 年収 給与 診断名 诊断 工资 月收入 血型 宗教", "sensitive"),
        ("diab sex_worker sexpart", "sensitive"),
    ],
)
def test_names_in_many_languages_say_what_a_column_is(names: str, role: str) -> None:
    assert {name: role_of(name) for name in names.split()} == dict.fromkeys(names.split(), role)


@pytest.mark.parametrize("name", ["x1", "flag", "sexton", "page", "b", "", "天気"])
def test_other_names_say_nothing(name: str) -> None:
    assert topics_of(name) == []


def test_names_are_cut_into_words() -> None:
    assert tokens_of("dateOfBirth") == ("date", "of", "birth")
    assert tokens_of("ICD10-Code_Größe") == ("icd", "10", "code", "grosse")
    assert tokens_of("Fødselsdato płeć") == ("fodselsdato", "plec")
    assert [piece for token in tokens_of("患者ID_患者生年月日") for piece in pieces_of(token)][-1] == "生年月日"


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


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("victim_age", "an age"),
        ("insured_sex", "a sex or gender"),
        ("offender_occupation", "work"),
        ("patient_zip", "a postcode"),
        ("victim_injury", "health"),
        ("victim", "private life or crime"),
        ("gestational_age", "health"),
    ],
)
def test_whose_something_is_says_not_what_it_is(name: str, about: str) -> None:
    topic = topic_of(name)
    assert topic is not None
    assert topic.about == about


@pytest.mark.parametrize("name", ["Dienstgradliste", "Urlaubstage", "Dienstgradzulassung"])
def test_a_few_letters_of_a_longer_word_say_nothing(name: str) -> None:
    assert {one.topic.role for one in topics_of(name)} <= {"quasi"}


def test_the_number_of_a_question_says_nothing() -> None:
    assert topics_of("ER30002") == []
    assert topics_of("plh0171") == []
    assert topics_of("hiv2004")[0].topic.about == "health"


def test_a_letter_and_a_number_mean_something_only_among_others_of_their_codebook() -> None:
    survey = ["caseid", "v001", "v005", "v012", "v130", "v190"]
    assert meaningless_names(survey) == frozenset()
    wide = [f"v{number}" for number in range(1, 400)]
    assert meaningless_names([*survey, *wide]) >= {"v005", "v130", "v190", "v399"}
    assert meaningless_names(["age", "sex", "v130"]) == {"v130"}


def test_words_are_written_as_names_are_read() -> None:
    words = [*vocabulary().phrases, *((word,) for word in (*vocabulary().stems, *vocabulary().endings))]
    assert [phrase for phrase in words if tokens_of(" ".join(phrase)) != phrase] == []
