"""The names, diagnoses, jobs and weights that the made-up hospital table is drawn from; no statistics."""

from __future__ import annotations

from typing import NamedTuple

AGE_BANDS = ((0, 6), (6, 18), (18, 30), (30, 45), (45, 60), (60, 75), (75, 98))
"""Ages at admission, in full years, the upper end excluded. Jobs and diagnoses have a weight for each of the seven."""

AGE_WEIGHTS = (6, 6, 13, 17, 19, 22, 17)

SEXES = {"female": 519, "male": 478, "diverse": 3}


class Region(NamedTuple):
    """Where patients live: the first three digits of the zip code, and which nationalities are more common there."""

    prefix: str
    weight: int
    favours: dict[str, int]


REGIONS = (
    Region("010", 8, {"Vietnam": 6, "Poland": 2}),
    Region("028", 2, {"Poland": 12, "Czechia": 8}),
    Region("041", 7, {"Syria": 2, "Vietnam": 3}),
    Region("089", 1, {"Czechia": 5}),
    Region("101", 22, {"Turkey": 4, "Syria": 3, "Vietnam": 2, "United States": 3}),
    Region("123", 15, {"Turkey": 6, "Poland": 2, "Ghana": 2}),
    Region("144", 6, {"Ukraine": 3}),
    Region("203", 14, {"Ghana": 5, "Turkey": 2, "Afghanistan": 3, "Portugal": 3}),
    Region("275", 3, {"Portugal": 4}),
    Region("504", 9, {"Italy": 4, "Turkey": 3, "Morocco": 4}),
    Region("603", 8, {"United States": 6, "India": 5, "Morocco": 4, "Croatia": 2}),
    Region("803", 5, {"Austria": 6, "Croatia": 3, "Italy": 2, "India": 3}),
)

DISTRICT_WEIGHTS = tuple(400 // (rank + 4) for rank in range(24))
"""How many patients come from each of a region's zip codes, the largest first."""

DISTRICT_ENDINGS = tuple(f"{(7 + 37 * rank) % 100:02}" for rank in range(24))
"""The last two digits of these zip codes."""

NATIONALITIES: dict[str, dict[str, dict[str, int]]] = {
    "Europe": {
        "Western Europe": {"Germany": 8000, "Austria": 60, "France": 45, "Netherlands": 40, "United Kingdom": 35},
        "Eastern Europe": {"Poland": 210, "Romania": 170, "Ukraine": 150, "Bulgaria": 80, "Russia": 70, "Czechia": 25},
        "Southern Europe": {"Italy": 160, "Greece": 90, "Croatia": 85, "Portugal": 50, "Spain": 45},
        "Northern Europe": {"Denmark": 15, "Sweden": 12, "Finland": 5, "Iceland": 1},
    },
    "Asia": {
        "Western Asia": {"Turkey": 290, "Syria": 160, "Iraq": 50, "Georgia": 8},
        "Southern Asia": {"Afghanistan": 70, "India": 40, "Iran": 35, "Pakistan": 20},
        "Eastern Asia": {"Vietnam": 45, "China": 30, "Japan": 6, "South Korea": 6},
    },
    "Africa": {
        "Northern Africa": {"Morocco": 25, "Tunisia": 12, "Egypt": 11},
        "Sub-Saharan Africa": {"Nigeria": 18, "Eritrea": 17, "Ghana": 11, "Kenya": 3},
    },
    "America": {
        "Northern America": {"United States": 30, "Canada": 5},
        "Latin America": {"Brazil": 13, "Colombia": 6, "Peru": 3},
    },
}
"""Continent, region, nationality, weight."""

JOBS: dict[str, dict[str, dict[str, tuple[int, ...]]]] = {
    "not working": {
        "in education": {
            "pre-school child": (100, 0, 0, 0, 0, 0, 0),
            "pupil": (0, 97, 6, 0, 0, 0, 0),
            "student": (0, 0, 30, 3, 0, 0, 0),
            "apprentice": (0, 3, 12, 1, 0, 0, 0),
        },
        "without work": {
            "homemaker": (0, 0, 2, 6, 6, 4, 0),
            "job seeker": (0, 0, 5, 5, 6, 2, 0),
            "retired": (0, 0, 0, 1, 5, 70, 99),
        },
    },
    "working": {
        "care and teaching": {
            "nurse": (0, 0, 6, 8, 8, 2, 0),
            "teacher": (0, 0, 2, 7, 7, 3, 0),
            "physician": (0, 0, 1, 4, 4, 2, 0),
            "kindergarten teacher": (0, 0, 3, 4, 3, 1, 0),
            "pastor": (0, 0, 0, 1, 1, 1, 0),
        },
        "office": {
            "clerk": (0, 0, 8, 13, 14, 4, 0),
            "programmer": (0, 0, 5, 8, 5, 1, 0),
            "accountant": (0, 0, 2, 5, 6, 2, 0),
            "lawyer": (0, 0, 1, 3, 3, 2, 1),
            "judge": (0, 0, 0, 1, 1, 0, 0),
        },
        "craft and industry": {
            "factory worker": (0, 0, 6, 9, 10, 2, 0),
            "electrician": (0, 0, 4, 5, 5, 1, 0),
            "bricklayer": (0, 0, 3, 4, 4, 1, 0),
            "carpenter": (0, 0, 2, 3, 3, 1, 0),
            "farmer": (0, 0, 1, 2, 3, 3, 1),
        },
        "service": {
            "shop assistant": (0, 0, 9, 9, 9, 2, 0),
            "driver": (0, 0, 3, 6, 7, 2, 0),
            "cleaner": (0, 0, 3, 6, 7, 3, 0),
            "cook": (0, 0, 4, 4, 4, 1, 0),
            "police officer": (0, 0, 2, 3, 3, 0, 0),
            "musician": (0, 0, 1, 1, 1, 1, 1),
        },
    },
}
"""Kind, sector, job, weight for each age band."""


class Diagnosis(NamedTuple):
    """How common a diagnosis is for each age band, for women and for men, and its median cost in euros."""

    name: str
    ages: tuple[int, ...]
    female: int
    male: int
    cost: int


DIAGNOSES = {
    "HIV and sexual health": (
        Diagnosis("HIV infection", (0, 0, 8, 12, 6, 2, 0), 2, 6, 5_200),
        Diagnosis("Syphilis", (0, 0, 6, 6, 3, 1, 0), 2, 5, 1_400),
    ),
    "Mind and addiction": (
        Diagnosis("Schizophrenia", (0, 1, 22, 16, 8, 3, 1), 4, 5, 8_900),
        Diagnosis("Depression", (0, 12, 50, 60, 52, 24, 12), 6, 4, 5_600),
        Diagnosis("Alcohol dependence", (0, 1, 20, 44, 60, 26, 4), 2, 6, 3_100),
        Diagnosis("Opioid dependence", (0, 0, 14, 14, 5, 1, 0), 2, 5, 4_300),
        Diagnosis("Anorexia", (0, 16, 14, 3, 1, 0, 0), 9, 1, 11_200),
    ),
    "Cancer": (
        Diagnosis("Breast cancer", (0, 0, 3, 24, 56, 56, 34), 9, 0, 9_800),
        Diagnosis("Prostate cancer", (0, 0, 0, 2, 30, 72, 56), 0, 9, 8_700),
        Diagnosis("Lung cancer", (0, 0, 0, 6, 32, 60, 34), 4, 6, 12_400),
        Diagnosis("Colon cancer", (0, 0, 1, 6, 24, 44, 46), 4, 6, 11_900),
        Diagnosis("Leukaemia", (9, 5, 3, 3, 6, 10, 9), 4, 5, 21_500),
    ),
    "Pregnancy and birth": (
        Diagnosis("Childbirth", (0, 1, 150, 128, 1, 0, 0), 9, 0, 3_200),
        Diagnosis("Miscarriage", (0, 0, 18, 22, 1, 0, 0), 9, 0, 1_600),
        Diagnosis("Pre-eclampsia", (0, 0, 8, 9, 0, 0, 0), 9, 0, 4_900),
    ),
    "Nerves and memory": (
        Diagnosis("Dementia", (0, 0, 0, 0, 3, 36, 220), 6, 4, 6_400),
        Diagnosis("Epilepsy", (24, 20, 12, 10, 10, 14, 16), 5, 5, 3_700),
        Diagnosis("Multiple sclerosis", (0, 1, 9, 12, 6, 2, 0), 7, 3, 4_800),
        Diagnosis("Parkinson's disease", (0, 0, 0, 1, 6, 24, 34), 4, 6, 7_300),
    ),
    "Long-lasting illness": (
        Diagnosis("Heart failure", (0, 0, 4, 24, 120, 420, 900), 5, 6, 5_100),
        Diagnosis("Heart attack", (0, 0, 1, 20, 82, 116, 96), 3, 7, 9_300),
        Diagnosis("Stroke", (0, 0, 4, 14, 48, 112, 180), 5, 6, 10_400),
        Diagnosis("Type 2 diabetes", (0, 1, 6, 26, 68, 92, 64), 4, 6, 3_400),
        Diagnosis("Asthma", (90, 76, 30, 18, 14, 10, 6), 5, 5, 1_900),
        Diagnosis("Chronic bronchitis", (0, 0, 2, 14, 56, 96, 70), 4, 6, 4_100),
    ),
    "Short illness": (
        Diagnosis("Pneumonia", (110, 30, 20, 26, 44, 86, 160), 5, 6, 4_600),
        Diagnosis("Flu", (260, 160, 110, 100, 90, 80, 90), 5, 5, 1_700),
        Diagnosis("Appendicitis", (30, 150, 92, 50, 26, 14, 8), 5, 5, 3_900),
        Diagnosis("Gallstones", (0, 4, 40, 70, 80, 70, 44), 7, 3, 4_200),
        Diagnosis("Kidney stones", (0, 6, 36, 60, 62, 44, 20), 3, 7, 2_600),
        Diagnosis("Tonsillitis", (120, 120, 70, 26, 8, 3, 1), 5, 5, 1_500),
        Diagnosis("Stomach flu", (190, 80, 44, 34, 30, 34, 50), 5, 5, 1_200),
    ),
    "Injury": (
        Diagnosis("Hip fracture", (0, 1, 2, 5, 16, 62, 260), 7, 4, 9_900),
        Diagnosis("Broken wrist", (50, 130, 50, 40, 60, 70, 70), 6, 5, 2_300),
        Diagnosis("Concussion", (130, 130, 80, 46, 36, 36, 60), 4, 6, 1_100),
        Diagnosis("Torn ligament", (0, 60, 92, 66, 40, 12, 2), 4, 6, 2_900),
    ),
}
"""Categories from most to least secret, and the diagnoses in each."""

FIRST_NAMES = {
    "female": (
        *("Anna", "Maria", "Emma", "Sofia", "Ida", "Clara", "Lena", "Marta", "Nina", "Olga", "Petra", "Rosa"),
        *("Sara", "Tilda", "Vera", "Zoe", "Aylin", "Fatima", "Linh", "Greta", "Hanna", "Ines", "Judith", "Karin"),
    ),
    "male": (
        *("Adam", "Ben", "Carl", "David", "Emil", "Felix", "Georg", "Hugo", "Ivan", "Jonas", "Karim", "Leo"),
        *("Marek", "Noah", "Oskar", "Paul", "Rafael", "Samir", "Tom", "Uwe", "Viktor", "Walter", "Yusuf", "Minh"),
    ),
}

FAMILY_NAMES = (
    *("Abel", "Adler", "Albrecht", "Arnold", "Bach", "Baran", "Beck", "Berger", "Blum", "Brandt", "Bruun", "Conti"),
    *("Dahl", "Demir", "Diaz", "Ebert", "Engel", "Ernst", "Falk", "Faust", "Ferrari", "Fink", "Fuchs", "Gerber"),
    *("Graf", "Gross", "Haas", "Hahn", "Hassan", "Heller", "Herzog", "Horn", "Ivanov", "Jansen", "Kaya", "Keller"),
    *("Kern", "Koch", "Kraus", "Kumar", "Lang", "Le", "Lindner", "Lorenz", "Marek", "Marino", "Mendes", "Moser"),
    *("Nagel", "Novak", "Olsen", "Otto", "Paulsen", "Petrov", "Popescu", "Reuter", "Ritter", "Rossi", "Sahin"),
    *("Sauer", "Schuster", "Seidel", "Silva", "Sommer", "Stein", "Tran", "Ulrich", "Vogel", "Vogt", "Weiss", "Wolff"),
)
"""The most common first."""
