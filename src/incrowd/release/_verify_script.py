"""Check a released table against its certificate: ``python verify.py [release.json]``.

Reads the certificate and the data file beside it, groups the records by their quasi-identifiers as they stand in the
file, measures every promise again with whole numbers and fractions, and compares. Needs Python alone for a CSV file,
for others also pyarrow or duckdb (Parquet), pyarrow (Arrow), fastexcel and pyarrow (Excel), pyreadstat (SPSS, Stata).

Exit code 0: it holds. 1: it does not hold, or differs from the certificate. 2: the files cannot be read. 4: a promise
could not be checked. What no file can show: whether the certificate tells the truth about the original table and the
records left out, and who wrote it. It stands on its own, so that you can read all of it.
"""

import codecs
import csv
import gzip
import hashlib
import io
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, combinations, groupby
from pathlib import Path
from typing import Any

Plain = dict[str, Any]
Bag = Counter[Any]  # how often each sensitive value occurs in a group of records
Told = tuple[bool | None, str]  # True: as certified; False: it differs; None: the file cannot show it

# What every certificate has: a type, a value, a range of numbers, a form of texts, one of several, a list, or keys
# ("?": may lack)
COUNT, WORDS, MAYBE = range(2**63), [str], (str, None)
DAY, HASH, FILE = (re.compile(form) for form in (r"\d{4}-\d\d-\d\d", "[0-9a-f]{64}", r"[^/\\\0]+"))
ROLES = ("quasi-identifier", "sensitive", "insensitive", "shifted", "identifier", "entity", "count")
STYLE = {"separator": str, "encoding": str, "mark": bool, "decimal": (".", ","), "dates": MAYBE, "columns": WORDS}
DATA = {"name": FILE, "sha256": HASH, "bytes": COUNT, "rows": COUNT, "escaped": MAYBE, "labels?": HASH}
LINK = {"column": str, "table": str}  # by the first of a table, its rows belong to rows of another
TABLE = {**DATA, "file": FILE, "columns": [{"name": str, "role": ROLES}], "key?": str, "of?": [LINK]}
TABLE |= {"dialect?": STYLE, "stars?": WORDS}
del TABLE["escaped"], TABLE["labels?"]
DATA |= {"dialect?": STYLE, "stars?": WORDS, "tables?": [TABLE]}
PLAIN: Plain = {"separator": ",", "encoding": "utf-8", "mark": False, "decimal": ".", "dates": None, "columns": []}
MEANING = {"order?": ("numbers", "dates", WORDS), "taxonomy?": [[MAYBE]], "categories?": [[MAYBE]]}
COLUMN = {"name": str, "role": ROLES, "level": (COUNT, None), "averaged?": ("mean", "median"), "starred?": COUNT}
COLUMN |= {"without?": WORDS}  # sensitive columns that nobody has who has no row of a table
COLUMN |= {"items?": re.compile(r"(?![*\"'\r\n\0])[\W_]")}  # what stands between the items of a set
COLUMN |= {**MEANING, "shifted?": {"within": COUNT, "weekdays": bool, "true": False}}  # a shifted date is not true
STARRING = "levels-and-cells"  # a search with one level per column, and stars in single cells
SEARCHES: Plain = dict.fromkeys(("apply", STARRING, "incognito", "optimal", "samarati"), True)  # have levels
SEARCHES |= dict.fromkeys(
    ("cheapest-first", "datafly", "levels-and-items", "mondrian", "mu-argus", "swap-diversity", "top-down"), False
)
SEARCHES["other"] = None  # somebody's own
SETTINGS: Plain = dict.fromkeys(("best?", "every?", "labels?", "measure?"), str) | {"together?": [WORDS]}
SETTINGS |= dict.fromkeys(("conditions?", "improved?", "retry?", "strict?", "swap?", "tighten?"), bool)
SETTINGS |= {"block?": COUNT, "seconds?": (int, float), "most_stars?": (int, float, {str: (int, float)})}
SETTINGS |= {"most_items?": (int, float)}
SEARCH = {"name": (*SEARCHES,), "settings": {**SETTINGS, "identifying?": ({str: str}, [WORDS])}}
CERTIFICATE = {"schema": 1, "date": DAY, "versions": {str: str}, "data": DATA, "columns": [COLUMN]}
CERTIFICATE |= {
    "promise": str,
    "promises": [dict],
    "counted": ("records", "persons"),
    "records": COUNT,
    "persons": (COUNT, None),
}
CERTIFICATE |= {"classes": COUNT, "suppressed": COUNT, "masked": COUNT, "dropped": COUNT, "pseudonymised": WORDS}
CERTIFICATE |= {"measures": {"height?": COUNT, "discernibility": COUNT, "aecs": (int, float)}}
FIGURES = {"aecs": "average group size (AECS)"}  # what people call a figure
CERTIFICATE |= {"limits": WORDS, "signature?": str, "search?": SEARCH}
PROMISE = {"promise": str, "columns": WORDS, "measured": (WORDS, None), "holds": True, "holds_here": (bool, None)}
PROMISE |= {"required": [{"name": str, "sense": str, "bound": str}], "owner_only": MAYBE, "limits": str}
DISTANCE = {"distance": ("equal", "ordered", "hierarchical", "kl"), "input_at_most?": str}
MORE: Plain = {"recursive": {"l": COUNT}, "alpha": {"each": bool, "values": (WORDS, None)}, "t": DISTANCE}
MORE |= {"nt": {**DISTANCE, "n": COUNT, "supersets": ("drop", "table")}}
MORE |= {"rows": {"m": COUNT, "known?": WORDS, "multiset?": True}, "items": {"m": COUNT, "of?": WORDS}}
MORE |= {kind: {"weight_over": ("records", "distinct")} for kind in ("p-alpha", "enhanced")}
DIVERSE = ("l", "probabilistic-l", "entropy-l", "recursive", "p", "p-alpha", "enhanced")  # missing only if asked to
MORE |= {kind: {**MORE.get(kind, {}), "missing?": True} for kind in DIVERSE}

# Per kind of promise its text, and what is required; the numbers stand in the text in the order of what is required.
FORMS = {"k": ("k>={}", "k >="), "l": ("l>={}", "l >="), "p": ("p>={}", "p >="), "t": ("t<={}", "t <=")}
FORMS |= {"candidates": ("k>={}[candidates]", "candidates >="), **dict.fromkeys(("rows", "items"), ("k>={}", "k >="))}
FORMS |= {"probabilistic-l": ("probabilistic-l>={}", "l >="), "entropy-l": ("entropy-l>={}", "l >=")}
FORMS |= {"nt": ("nt(n={n}, t={})", "t <="), "alpha": ("alpha<={}", "alpha <="), "beta": ("beta<={}", "beta <=")}
SEVERAL = {"recursive": ("recursive(c={1}, l={0})", "l >=", "c <"), "delta": ("delta<{1}", "lacking <=", "delta <")}
SEVERAL |= {kind: (kind + "(p={}, alpha={}{over})", "p >=", "alpha >=") for kind in ("p-alpha", "enhanced")}
SEVERAL |= {"enhanced-beta": ("enhanced-beta<={}", "beta <=", "gain over -ln q <=")}
PROMISE["kind"] = (*FORMS, *SEVERAL)
FIXED = {"gain over -ln q": 1, "lacking": 0}  # bounds that a kind brings along
WHOLE = {("k", "k"), ("l", "l"), ("recursive", "l"), ("p", "p"), ("p-alpha", "p"), ("enhanced", "p")}
WHOLE |= {("candidates", "candidates"), ("rows", "k"), ("items", "k")}
OF_NOTHING = {"k", "candidates", "rows", "items"}  # promises that are about no sensitive column
OF_PEOPLE = {"k", "rows", "items"}  # promises of people, whom pseudonyms tell apart
SHOWN = {"quasi-identifier", "sensitive", "shifted"}  # roles of columns that joined rows have
HIDDEN = {"insensitive", "identifier", "entity"}
REFER = {"t", "nt", "beta", "enhanced-beta", "delta"}  # promises that compare classes with the whole original table
NEEDS = {"parquet": "pyarrow or duckdb", "arrow": "pyarrow", "xlsx": "fastexcel and pyarrow"}
NEEDS |= {"sav": "pyreadstat", "dta": "pyreadstat"}


def misshapen(found: Any, shape: Any, where: str = "certificate") -> Iterator[str]:
    """Name what is not as every certificate has it."""
    if isinstance(shape, tuple):
        if all(any(misshapen(found, one)) for one in shape):
            yield where
    elif isinstance(shape, dict) and isinstance(found, dict):
        shape = dict.fromkeys(found, shape[str]) if str in shape else shape
        known = {name.removesuffix("?"): inner for name, inner in shape.items()}
        for name in sorted(known.keys() | found.keys()):
            if name in found and name in known:
                yield from misshapen(found[name], known[name], f"{where}: {name}")
            elif name in found or f"{name}?" not in shape:
                yield f"{where}: {name}"
    elif isinstance(shape, list) and isinstance(found, list):
        for inner in found:
            yield from misshapen(inner, shape[0], where)
    elif isinstance(shape, re.Pattern):
        yield from [] if isinstance(found, str) and shape.fullmatch(found) else [where]
    else:
        type_ = shape if isinstance(shape, type) else int if isinstance(shape, range) else type(shape)
        allowed = shape if isinstance(shape, range) else [found if isinstance(shape, type) else shape]
        finite = type(found) is not float or math.isfinite(found)
        yield from [] if type(found) is type_ and found in allowed and finite else [where]


def wrong_in(certificate: Any) -> list[str]:
    """Name all that is not as every certificate has it; what a promise has depends on its kind."""
    wrong = {*misshapen(certificate, CERTIFICATE)}
    for promise in [] if wrong else certificate["promises"]:
        wrong |= {*misshapen(promise, {**PROMISE, **MORE.get(str(promise.get("kind")), {})}, "certificate: promises")}
    for column in [] if wrong else certificate["columns"]:
        order, paths = column.get("order", ""), column.get("taxonomy", [])
        lists = [path[:1] for path in paths] + [order if isinstance(order, list) else []]
        texts = [text for listed in lists + column.get("categories", []) for text in listed]
        steps = {(place, *path[place : place + 2]) for path in paths for place in range(len(path))}
        tree = len({(len(path), *path[-1:]) for path in paths}) <= 1 and len({step[:2] for step in steps}) == len(steps)
        wrong |= set() if len(set(texts)) == len(texts) and tree and all(paths) else {"certificate: columns: meaning"}
    if not wrong and not is_shift(certificate["columns"], certificate["counted"]):
        wrong.add("certificate: columns: shifted")
    files = [] if wrong else [certificate["data"], *certificate["data"].get("tables", [])]
    if not all(is_dialect(file.get("dialect", PLAIN)) for file in files):
        wrong.add("certificate: data: dialect")
    if not wrong and not is_search_of(certificate.get("search"), certificate["columns"]):
        wrong.add("certificate: search")
    if not wrong and not is_day(certificate["date"]):
        wrong.add("certificate: date")
    return sorted(wrong)


def is_search_of(search: Plain | None, columns: list[Plain]) -> bool:
    """Say whether a search gives such columns: one level for each or none, and stars that are counted or none."""
    name = search["name"] if search else "other"
    quasi = [column for column in columns if column["role"] == "quasi-identifier"]
    counted = [column for column in columns if "starred" in column]
    leveled = {column["level"] is not None for column in quasi}
    return counted == quasi * (name == STARRING) and (SEARCHES[name] is None or leveled <= {SEARCHES[name]})


def is_shift(columns: list[Plain], counted: str) -> bool:
    """Say whether it is said of the shifted columns, and of no other, how far dates are shifted: by person, alike."""
    said = [column["shifted"] for column in columns if "shifted" in column]
    fine = all(("shifted" in column) == (column["role"] == "shifted") for column in columns)
    far = all(one == said[0] and one["within"] >= (7 if one["weekdays"] else 1) for one in said)
    return fine and far and (not said or counted == "persons")


def is_dialect(said: Plain) -> bool:
    """Say whether a text file can be written like this, every character by itself, and is said in the one way."""
    name, form = said["encoding"], re.fullmatch("%([dmY])[./ -]?%([dmY])[./ -]?%([dmY])", said["dates"] or "%Y%m%d")
    try:
        ("\ufeff" * said["mark"]).encode(re.sub("utf-7|iso2022.*|idna|puny.*|.*escape|hz", "?", name))
        named = codecs.lookup(name).name == name and name not in {"ascii", "utf-8-sig", "utf-16", "utf-32"}
    except (LookupError, ValueError):
        return False
    sign, used = said["separator"], (said["decimal"], said["dates"]) != (".", None)
    named &= len(sign) == 1 and not sign.isalnum() and sign not in "\"'\r\n\0" and said["mark"] <= (name[:4] == "utf-")
    once = len(set(said["columns"])) == len(said["columns"]) and bool(said["columns"]) == used
    return named and once and form is not None and len(set(form.groups())) == 3 and said["dates"] != "%Y-%m-%d"


def is_day(text: str) -> bool:
    """Say whether a day is in the calendar."""
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def certificate_from(text: str) -> Any:
    """Read a certificate; what is no JSON, names something twice, or holds a number that is none raises an error."""
    return json.loads(text, object_pairs_hook=without_twins, parse_constant=Fraction)  # NaN and Infinity are none


def without_twins(pairs: list[tuple[str, Any]]) -> Plain:
    """Refuse a certificate that names something twice: people read the first, and programs the last."""
    if len(dict(pairs)) < len(pairs):
        raise KeyError
    return dict(pairs)


def as_decimal(number: str) -> str:
    """Write a bound as promises have it: a decimal where there is one, else a fraction."""
    exact = Fraction(number)
    places = next((places for places in range(41) if 10**places % exact.denominator == 0), 41)
    short = places < 41 and exact.denominator <= 10**12
    return format(Decimal(int(exact * 10**places)).scaleb(-places), "f") if short else str(exact)


def as_name(name: str) -> str:
    """Write a name as promises have it: in quotes, unless it is an ordinary word."""
    keywords = "equal|variational|ordered|hierarchical|kl|lattice|path|drop|table|missing|candidates|multiset"
    keywords += "|any [1-9][0-9]* (row|item)s?"
    ordinary = re.fullmatch(r"\w[\w.-]*(?: [\w.-]+)*", name) and not re.fullmatch(keywords, name)
    return name if ordinary else json.dumps(name, ensure_ascii=False)


def texts_of(promise: Plain, names: list[list[str]], columns: list[Plain]) -> set[str]:
    """Write a promise again from what is measured, about columns or combinations, in all ways that mean the same."""
    needs, values = promise["required"], promise.get("values") or []
    numbers = [as_decimal(need["bound"]) for need in needs if need["bound"] == str(Fraction(need["bound"]))]
    form, *wanted = {**FORMS, **SEVERAL}[promise["kind"]]
    if promise.get("each"):
        wanted = [f"alpha of {as_name(value)} <=" for value in values]
    if [f"{need['name']} {need['sense']}" for need in needs] != wanted or len(numbers) < len(needs):
        return set()
    over = ', weight_over="distinct"' if promise.get("weight_over") == "distinct" else ""
    head = form.format(*numbers, n=promise.get("n"), over=over)
    if promise.get("each"):
        named = ['"weight_over"' if value == "weight_over" else as_name(value) for value in values]
        head = f"alpha({', '.join(map('='.join, zip(named, numbers, strict=True)))})"
    distance = [word for word in [promise.get("distance", "equal")] if word != "equal"]
    if promise["kind"] in {"rows", "items"}:
        distance = [as_name(name) for name in promise.get("known", []) + promise.get("of", [])]
        distance += [f"any {promise['m']} {promise['kind'][: None if promise['m'] > 1 else -1]}"]
        distance += ["multiset"] * ("multiset" in promise)
    distance += ["missing"] * promise.get("missing", False)
    asked = {"drop": ["", "drop"], "table": ["", "drop", "table", "path"]}  # what the file may show instead
    listed = f": {', '.join(map(as_name, values))}" if values and not promise["each"] else ""
    about = ", ".join("+".join(map(as_name, one)) for one in names)
    sensitive = [[column["name"]] for column in columns if column["role"] == "sensitive"]
    texts = set()
    for superset in asked.get(promise.get("supersets", ""), [""]):
        for column in {about, "" if names == sensitive else about}:  # the only sensitive column need not be named
            inner = ", ".join(word for word in (column, *distance, superset) if word)
            texts.add(f"{head}[{inner}{listed}]" if inner or listed else head)
    return texts


def is_meant(promise: Plain, names: list[list[str]], columns: list[Plain]) -> bool:
    """Say whether a promise is measured as its text says."""
    kind, known = promise["kind"], {column["name"] for column in columns if column["role"] == "sensitive"}
    bounds = {need["name"]: Fraction(need["bound"]) for need in promise["required"]}
    seen = promise.get("known", names_of("quasi-identifier", columns))
    about: list[str] = promise.get("of", list(separators_in(columns)))
    joint = kind in {"l", "p"} or len(promise["columns"]) == 1
    return (
        promise["promise"] in texts_of(promise, names, columns)
        and promise.get("values") != []
        and len({*seen} & {*names_of("quasi-identifier", columns)}) == len(seen) > 0
        and (kind != "items" or len({*about} & {*separators_in(columns)}) == len(about) > 0)
        and (not promise["columns"] if kind in OF_NOTHING else bool(promise["columns"]) and joint)
        and known.issuperset(promise["columns"])
        and all(bounds[name] == FIXED.get(name, bounds[name]) for name in bounds)
        and all(bounds[name].denominator == 1 for name in bounds if (kind, name) in WHOLE)
        and promise.get("l", bounds.get("l")) == bounds.get("l")
    )


def rewritten(cell: str, old: Plain, new: Plain) -> str:
    """Write a number or a day of one dialect as another has it."""
    if re.fullmatch(f"-?[0-9]+[{old['decimal']}][0-9]+([eE][-+]?[0-9]+)?", cell):
        return cell.replace(old["decimal"], new["decimal"])
    digits = {"%d": "(?P<d>[0-9]{2})", "%m": "(?P<m>[0-9]{2})", "%Y": "(?P<Y>[0-9]{4})"}
    forms = [dialect["dates"] or "%Y-%m-%d" for dialect in (old, new)]
    day = re.fullmatch(re.sub("%[dmY]", lambda sign: digits[sign[0]], re.escape(forms[0])) + "( [0-9:.+]+)?", cell)
    return cell if day is None else re.sub("%([dmY])", lambda sign: day[sign[1]], forms[1]) + (day[4] or "")


def read_text(path: Path, dialect: Plain) -> tuple[bool, Plain]:
    """Read a text file, and say whether all of it is written as its dialect says: nothing is in two ways."""
    csv.field_size_limit(2**31 - 1)
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = raw.decode(dialect["encoding"])
    fine = text.encode(dialect["encoding"]) == raw and text.startswith("\ufeff") == dialect["mark"]
    file = io.StringIO(text.removeprefix("\ufeff"), newline="")
    header, *rows = [row or [""] for row in csv.reader(file, delimiter=dialect["separator"])]
    table: Any = dict(zip(header, zip(*rows, strict=True) if rows else [()] * len(header), strict=True))
    for name in dialect["columns"]:
        read = {cell: rewritten(cell, dialect, PLAIN) for cell in set(table.get(name, ()))}
        fine &= any(read[cell] != cell for cell in read)
        fine &= all(rewritten(read[cell], PLAIN, dialect) == cell for cell in read)
        table |= {name: [read[cell] for cell in table[name]]} if read else {}
    return fine, table


def read_table(path: Path, dialect: Plain, *, escaped: bool) -> tuple[bool, Plain]:
    """Read the columns of the data file by their names; a missing value is None. Say whether it is written as said."""
    kind, fine, table = path.suffix.removeprefix("."), dialect == PLAIN, None
    if ".csv" in path.suffixes:
        fine, table = read_text(path, dialect)
    elif kind in {"sav", "dta"}:
        table = getattr(import_module("pyreadstat"), f"read_{kind}")(path, output_format="dict")[0]
    elif kind == "xlsx":
        sheet = import_module("fastexcel").read_excel(path).load_sheet(0, schema_sample_rows=None)
        table = sheet.to_arrow().to_pydict()
    else:
        try:
            found = import_module("pyarrow.dataset").dataset(path, format=kind).to_table()
            found.validate(full=True)  # what a damaged file says ends the process
            table = found.to_pydict()
        except ImportError:
            relation = import_module("duckdb").read_parquet(str(path))
            table = dict(zip(relation.columns, zip(*relation.fetchall(), strict=True), strict=True))
    if escaped:  # one apostrophe was put in front of what a spreadsheet would run, and of what begins with one
        table = {name: [c.removeprefix("'") if isinstance(c, str) else c for c in table[name]] for name in table}
    empty = "" if kind in {"csv", "gz", "sav", "dta"} else None  # what stands for nothing
    return fine, {name: [None if cell == empty else cell for cell in table[name]] for name in table}


def links_of(certificate: Plain) -> tuple[dict[str, list[tuple[str, str]]], str]:
    """Give by which columns every table refers to which, and the table of the people; each must lead there."""
    tables = certificate["data"]["tables"]
    links = {one["name"]: [(to["column"], to["table"]) for to in one.get("of", [])] for one in tables}
    (people,) = [name for name, to in links.items() if not to]
    for name in list(links):
        at = name
        for _ in links:
            at = links[at][0][1] if links[at] else at  # one step nearer to the people
        if at != people or len(dict(links[name])) < len(links[name]):
            raise KeyError
    return links, people


def check_keys(certificate: Plain, found: dict[str, Plain]) -> Iterator[Told]:
    """Say whether every key is there once, and nothing refers to one that is not, or to two people."""
    links, people = links_of(certificate)
    keys = {one["name"]: found[one["name"]][one["key"]] for one in certificate["data"]["tables"] if "key" in one}
    for name, values in keys.items():
        yield None not in values and len({*values}) == len(values), f"{name}: its key is there once in every row"
    whose: dict[str, dict[Any, Any]] = {people: {value: value for value in keys[people]}}
    for name in sorted(links, key=lambda name: way_of(name, links)[1]):
        if not {table for _, table in links[name][1:]} <= {*way_of(name, links)[0][:-1]}:
            yield False, f"{name}: every row refers to rows that it belongs to"
            return
        read = [(found[name][column], table) for column, table in links[name]]
        for place, (values, table) in enumerate(read):
            fine = {*values} - {None} <= {*keys[table]} and (place > 0 or None not in values)
            yield fine, f"{name}: every row refers to one of {table}"
            if not fine:
                return
        persons = [[whose[table].get(value) for value in values] for values, table in read]
        for other in persons[1:]:
            same = all(one == two for one, two in zip(persons[0], other, strict=True) if two is not None)
            yield same, f"{name}: every row belongs to one person"
        if name in keys and read:
            whose[name] = dict(zip(keys[name], persons[0], strict=True))


def way_of(name: str, links: dict[str, list[tuple[str, str]]]) -> tuple[list[str], int]:
    """Give the tables from that of the people to this one, and how many links that are."""
    before = [*way_of(links[name][0][1], links)[0]] if links[name] else []
    return [*before, name], len(before)


def absent_in(certificate: Plain) -> dict[str, list[str]]:
    """Give per column that tells of rows of a table the sensitive columns that nobody has who has no row there."""
    if "tables" not in certificate["data"]:
        return {}
    links, found = links_of(certificate)[0], defaultdict[str, list[str]](list)
    named = {column["name"]: column["role"] for column in certificate["columns"]}
    for one in certificate["data"]["tables"]:
        above = [f"has {name}" for name in way_of(one["name"], links)[0] if f"has {name}" in named]
        for column in (column["name"] for column in one["columns"]):
            if above and named.get(column) == "sensitive":
                found[above[-1]].append(column)
    return dict(found)


def joined_table(certificate: Plain, found: dict[str, Plain]) -> Plain:
    """Join everybody's rows of the tables that are asked about; who has none in one has nothing there."""
    links, people = links_of(certificate)
    keys = {one["name"]: one["key"] for one in certificate["data"]["tables"] if "key" in one}
    linked = {name: {column for column, _ in to} | {keys.get(name)} for name, to in links.items()}
    named = [(name, column) for name in links for column in found[name] if column not in linked[name]]
    times, asked = Counter(column for _, column in named), [column["name"] for column in certificate["columns"]]
    places = {column if times[column] == 1 else f"{name}.{column}": (name, column) for name, column in named}
    places |= {f"has {name}": (name, "") for name in links if name != people} | {keys[people]: (people, keys[people])}
    needed = {name for one in asked for name in way_of(places[one][0], links)[0]}
    rows: dict[str, list[Any]] = {people: [*range(len(found[people][keys[people]]))]}
    for name in sorted(needed - {people}, key=lambda name: way_of(name, links)[1]):
        column, above = links[name][0]
        own: dict[Any, list[Any]] = defaultdict(list)
        for row, value in enumerate(found[name][column]):
            own[value].append(row)
        of = [None if row is None else found[above][keys[above]][row] for row in rows[above]]
        nobody: list[Any] = [None]
        pairs = [(at, row) for at, value in enumerate(of) for row in own.get(value, nobody)]
        rows = {other: [values[at] for at, _ in pairs] for other, values in rows.items()}
        rows[name] = [row for _, row in pairs]
    table: Plain = {}
    for one in asked:
        name, column = places[one]
        if column:
            table[one] = [None if row is None else found[name][column][row] for row in rows[name]]
        else:
            table[one] = ["no" if row is None else "yes" for row in rows[name]]
    return table


def read_tables(certificate: Plain, folder: Path) -> Iterator[Told | Plain]:
    """Compare every table with what is said of its file, and of their keys; give the joined rows at the end."""
    found: dict[str, Plain] = {}
    described, roles = certificate["data"]["tables"], {c["name"]: c["role"] for c in certificate["columns"]}
    same = sorted(one["file"] for one in described) == sorted(file.name for file in folder.iterdir())
    yield same and len({one["name"] for one in described}) == len(described), "which tables there are"
    for one in described:
        path, name = folder / one["file"], one["name"]
        yield (digest_of(path), path.stat().st_size) == (one["sha256"], one["bytes"]), f"{name}: hash of the data file"
        fine, table = read_table(path, one.get("dialect", PLAIN), escaped=".csv" in path.suffixes)
        if not fine:
            yield False, f"{name}: how numbers, days and characters are written"
        yield list(table) == [column["name"] for column in one["columns"]], f"{name}: names of the columns"
        yield len(next(iter(table.values()))) == one["rows"], f"{name}: rows: {one['rows']}"
        stars = one.get("stars", [])
        found[name] = table | {star: ["*" if cell is None else cell for cell in table[star]] for star in stars}
        keys = {one.get("key"), *(to["column"] for to in one.get("of", []))}
        public = [
            (c["role"], None if c["name"] in keys else roles.get(c["name"], roles.get(f"{name}.{c['name']}")))
            for c in one["columns"]
        ]
        alike = (joined == role if joined or role in SHOWN else role in HIDDEN for role, joined in public)
        yield all(alike), f"{name}: roles of the columns"
    people = links_of(certificate)[1]
    asked = {column["name"]: (column["role"], column["level"]) for column in certificate["columns"]}
    (key,) = [one["key"] for one in described if one["name"] == people]
    known = asked.get(key, [None])[0] == "entity" and certificate["counted"] == "persons"
    yield known, "people are counted by their key"
    others = [one for one in described if one["name"] != people]
    rows = [f"has {one['name']}" for one in others if names_of("quasi-identifier", one["columns"])]
    shown = {name: how for name, how in asked.items() if name in {f"has {one['name']}" for one in described}}
    yield shown == dict.fromkeys(rows, ("quasi-identifier", 0)), "whether somebody has rows of a table"
    told = list(check_keys(certificate, found))
    yield from told
    if all(fine for fine, _ in told):
        yield joined_table(certificate, found)


def names_of(role: str, columns: list[Plain]) -> list[str]:
    """Name the columns of a role."""
    return [column["name"] for column in columns if column["role"] == role]


def classes_of(table: Plain, columns: list[Plain], of: list[str]) -> dict[Any, Bag]:
    """Group records by their quasi-identifiers, and count the values of a column, or the combinations of several."""
    quasi, counts = ([table[name] for name in names_of(role, columns)] for role in ("quasi-identifier", "count"))
    classes: dict[Any, Bag] = defaultdict(Counter)
    for row, labels in enumerate(zip(*quasi, strict=True)):
        value = table[of[0]][row] if len(of) == 1 else tuple(table[name][row] for name in of)
        classes[labels][value] += int(counts[0][row]) if counts else 1  # a row may stand for several records
    return classes


def text_of(value: Any) -> str:
    """Write a value as certificates do: a number without exponent and zeros at its end, a midnight as its date."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return re.sub(r"(\.\d*?)0+$", r"\1", f"{Decimal(str(value)):f}").removesuffix(".")
    if isinstance(value, datetime):
        return str(value.astimezone(UTC)) if value.tzinfo else str(value).removesuffix(" 00:00:00")
    return str(value)


def meaning_of(about: Plain, values: Bag) -> Plain:
    """Give what is known about values: places in an order, paths in a taxonomy, or weights of their categories."""
    order, categories = about.get("order", []), about.get("categories", [])
    if isinstance(order, str):
        read: Any = None if order == "dates" else lambda value: Decimal(str(value))  # texts of dates sort as dates do
        listed = sorted((value for value in values if value is not None), key=read) + [None] * (None in values)
        return {value: place for place, value in enumerate(listed)}
    steps = len(categories) - 1
    weights = [*(Fraction(rank, steps) for rank in range(steps)), Fraction(1)]  # the most secret category comes first
    known: Plain = {text or "": place for place, text in enumerate(order)}
    known |= {path[0] or "": path for path in about.get("taxonomy", [])}
    known |= {text or "": weight for weight, texts in zip(weights, categories, strict=False) for text in texts}
    return {value: known.get(text_of(value), known.get(str(value))) for value in values}


def distance(kind: str, bag: Bag, other: Bag, meaning: Plain) -> Fraction | float:
    """Say how far a class is from a larger group: how much must be moved how far to make them equal."""
    size, total = bag.total(), other.total()
    if kind == "kl":  # the only one that is rounded
        return math.fsum(n / size * math.log(n * total / (size * other[value])) for value, n in bag.items())
    if kind == "equal":
        return Fraction(sum(max(n * total - other[value] * size, 0) for value, n in bag.items()), size * total)
    extra = {value: bag[value] * total - other[value] * size for value in meaning}
    if kind == "ordered":  # what is too much so far moves on to the next value
        running = accumulate(extra[value] for value in sorted(extra, key=lambda value: meaning[value]))
        return Fraction(sum(map(abs, running)), size * total * max(len(extra) - 1, 1))
    height, branches = max(map(len, meaning.values())) - 1, Counter[Any]()
    for value, more in extra.items():  # what a branch has too much goes half a step up, and half a step down
        branches.update(dict.fromkeys(enumerate(meaning[value][:height]), more))
    return Fraction(sum(map(abs, branches.values())), 2 * size * total * max(height, 1))


def measure(promise: Plain, bag: Bag, regions: list[Bag], meaning: Plain) -> list[Any]:
    """Measure a promise on one class: a number per bound. The regions are the table, then classes on fewer columns."""
    if promise["kind"] in DIVERSE and "missing" not in promise:  # only what is known is diverse
        bag = Counter({v: n for v, n in bag.items() if None not in (v if isinstance(v, tuple) else [v])})
    size, whole, counts = bag.total(), regions[0], sorted(bag.values(), reverse=True)
    times = bag if promise.get("weight_over") == "records" else Counter(set(bag))
    weights = (n * meaning[value] for value, n in times.items())
    named = [sum(bag[v] for v in bag if meaning[v] == place) for place, _ in enumerate(promise.get("values") or ())]
    rest = sum(counts[promise.get("l", 1) - 1 :])  # all but the most frequent values
    large = (one for one in (bag, *regions) if one.total() >= promise.get("n", whole.total()))
    far = (distance(promise["distance"], bag, one, meaning) for one in large)
    gains = {value: Fraction(n * whole.total(), size * whole[value]) for value, n in bag.items()}
    over = (float(gain - 1) / math.log(whole.total() / whole[value]) for value, gain in gains.items() if gain > 1)
    by_kind: dict[str, Callable[[], list[Any]]] = {
        **dict.fromkeys(OF_PEOPLE, lambda: [size]),
        "l": lambda: [len(bag)],
        "probabilistic-l": lambda: [Fraction(size, max(counts, default=1))],
        "entropy-l": lambda: [math.exp(-math.fsum(n / size * math.log(n / size) for n in counts)) * (size > 0)],
        "recursive": lambda: [len(bag), Fraction(counts[0], rest) if rest else math.inf],
        "p": lambda: [len(bag)],
        "p-alpha": lambda: [len(bag), sum(weights, Fraction(0))],
        "enhanced": lambda: [len({meaning[value] for value in bag}), sum(weights, Fraction(0))],
        "alpha": lambda: [Fraction(n, size) for n in (named if promise["each"] else [max(named or counts)])],
        "t": lambda: [min(far)],
        "nt": lambda: [min(far, default=math.inf)],
        "beta": lambda: [max(gains.values()) - 1],
        "enhanced-beta": lambda: [max(gains.values()) - 1, max(over, default=0.0)],
        "delta": lambda: [len(whole) - len(bag), max(abs(math.log(gain)) for gain in gains.values())],
    }
    return by_kind[promise["kind"]]()


def candidates_of(classes: dict[Any, Bag]) -> int:
    """Give the fewest records that cover a class, or lie inside of it; a star covers every value."""
    sizes = {labels: bag.total() for labels, bag in classes.items()}
    stars = {labels: frozenset(at for at, label in enumerate(labels) if label == "*") for labels in classes}
    covering, inside = Counter[Any](), []
    for hidden in set(stars.values()):
        alike: dict[Any, list[Any]] = defaultdict(list)
        for labels in (labels for labels in classes if stars[labels] <= hidden):
            alike[tuple(label for at, label in enumerate(labels) if at not in hidden)].append(labels)
        for some in alike.values():
            for wide in (labels for labels in some if stars[labels] == hidden):  # one at most
                inside.append(sum(sizes[labels] for labels in some))
                covering.update(dict.fromkeys(some, sizes[wide]))
    return min(*inside, *covering.values())


def fewest_people(promise: Plain, table: Plain, columns: list[Plain]) -> int:
    """Give the fewest people who have some of the rows that somebody may know of a person: one for k alone."""
    (whose,), known = names_of("entity", columns), promise.get("known") or names_of("quasi-identifier", columns)
    rows = Counter(zip(table[whose], *(table[name] for name in known), strict=True))
    items: dict[Any, set[Any]] = defaultdict(set)
    for (person, *labels), times in rows.items():  # whoever is known to have two rows alike has one
        items[person] |= {(*labels, place) for place in range(times if "multiset" in promise else 1)}
    people = Counter[Any]()
    for own in items.values():
        for size in range(1, min(promise.get("m", 1), len(own)) + 1):
            people.update(map(frozenset, combinations(own, size)))
    return min(people.values())


def separators_in(columns: list[Plain]) -> dict[str, str]:
    """Give the columns whose values are sets, each with what stands between their items."""
    return {column["name"]: column["items"] for column in columns if "items" in column}


def fewest_holders(promise: Plain, table: Plain, columns: list[Plain]) -> int:
    """Give the fewest records, or people, who have some items that somebody may know of a set, and all else alike."""
    between, several = separators_in(columns), [*names_of("entity", columns), *names_of("count", columns)]
    about = promise.get("of", list(between))
    others = [table[name] for name in names_of("quasi-identifier", columns) if name not in about]
    groups: dict[Any, list[tuple[int, set[Any]]]] = defaultdict(list)
    for row in range(len(table[about[0]])):
        cells = [(name, table[name][row]) for name in about]
        held = {
            (name, item) for name, cell in cells if cell not in {None, "", "*"} for item in cell.split(between[name])
        }
        groups[tuple(column[row] for column in others)].append((row, held))
    found: list[int] = []
    for members in groups.values():
        holders: dict[Any, set[int]] = defaultdict(set)
        for row, held in members:
            for item in held:
                holders[item].add(row)
        sets = {some for _, held in members for some in combinations(sorted(held), min(promise["m"], len(held)))}
        for some in sets:  # fewer items are had by no fewer
            rows = set.intersection(*(holders[item] for item in some)) if some else {row for row, _ in members}
            whose = [table[several[0]][row] for row in rows] if several else [*rows]
            found.append(len({*whose}) if names_of("entity", columns) or not several else sum(map(int, whose)))
    return min(found)


def worst_of(promise: Plain, table: Plain, columns: list[Plain]) -> list[Any]:
    """Measure a promise on every class, and give what the worst class has."""
    if promise["kind"] == "items":
        return [fewest_holders(promise, table, columns)]
    if promise["kind"] in OF_PEOPLE and names_of("entity", columns):
        return [fewest_people(promise, table, columns)]
    classes = classes_of(table, columns, promise["columns"])
    if promise["kind"] == "candidates":
        return [candidates_of(classes)]
    quasi_columns = [column for column in columns if column["role"] == "quasi-identifier"]
    apart = [at for at, one in enumerate(quasi_columns) if {*promise["columns"]} <= {*one.get("without", ())}]
    asked = [one for one in classes if all(one[at] != "no" for at in apart)] or list(classes)
    quasi = range(len(next(iter(classes))))
    fewer = quasi if promise.get("supersets") == "drop" else range(1)  # without any column it is the whole table
    ways = [way for number in fewer for way in combinations(quasi, number)]
    around = {labels: [(way, *(labels[place] for place in way)) for way in ways] for labels in classes}
    regions: dict[Any, Bag] = defaultdict(Counter)
    for labels, bag in classes.items():
        for region in around[labels]:
            regions[region].update(bag)
    about: Plain = next((one for one in columns if [one["name"]] == promise["columns"]), {})
    number = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?" if about.get("order") == "numbers" else "$^", re.IGNORECASE)
    listed = [text_of(Decimal(v)) if number.fullmatch(v) else v for v in promise.get("values") or ()]
    meaning = meaning_of({"order": listed} if listed else about, regions[((),)])
    found = [measure(promise, classes[one], [regions[name] for name in around[one]], meaning) for one in asked]
    numbers = zip(promise["required"], zip(*found, strict=True), strict=True)
    return [min(column) if need["sense"] == ">=" else max(column) for need, column in numbers]


def compare(number: Any, certified: str, need: Plain) -> tuple[bool, bool]:
    """Say whether a number is what the certificate says, and whether it meets its bound; logarithms up to rounding."""
    bound, rounded = Fraction(need["bound"]), isinstance(number, float)
    same = rounded and math.isclose(number, float(certified), rel_tol=1e-9, abs_tol=1e-12)
    near = rounded and math.isclose(number, bound, rel_tol=1e-12, abs_tol=1e-12)
    meets = {">=": number >= bound, "<=": number <= bound, "<": number < bound}[need["sense"]]
    return (same and repr(float(certified)) == certified) or certified == str(number), near or bool(meets)


def from_original(promise: Plain, found: Any, values: int, records: int, left_out: int) -> Any:
    """Bound how far classes are from the original table, whoever was left out."""
    around, steps = promise.get("n", records), values - 1
    if not left_out or found == math.inf:
        return found
    if promise["distance"] == "kl":
        return found + math.log1p(left_out / around)
    if promise["distance"] == "ordered":  # every record left out may bring a value that lies between two others
        found = (steps * found + left_out * min(1, steps * found)) / (steps + left_out)
    return (around * found + left_out) / (around + left_out)


def check_people(promise: Plain, table: Plain, certificate: Plain, name: str) -> Iterator[Told]:
    """Compare a promise that counts people with the rows, which show less: not whose row is whose."""
    kind, left_out = promise["kind"], certificate["suppressed"] - certificate["masked"]
    told = (promise["measured"] is None, promise["holds_here"], promise["owner_only"] is None)
    measured = promise["required"] if promise["measured"] is None else promise["measured"]
    other = len(measured) != len(promise["required"]) or "input_at_most" in promise
    if other or told != ((True, None, not left_out) if kind in REFER else (False, True, True)):
        yield False, f"{name}: what is written about it is not what it means"
    elif kind in OF_PEOPLE:
        people, (rows,) = promise["measured"][0], worst_of(promise, table, certificate["columns"])
        found = f"{rows} records found"
        if promise.get("known"):  # of few columns: groups put together are larger than each
            rows, found = certificate["persons"], f"{certificate['persons']} people in all"
        bound = int(promise["required"][0]["bound"])
        fits = people == str(int(people)) and bound <= int(people) <= min(rows, certificate["persons"])
        said = f"{people} people certified, {found}; the file does not say whose row is whose"
        yield None if fits else False, f"{name}: {said}"
    else:
        yield None, f"{name}: it counts people, and the file does not say whose row is whose"


def check_promise(promise: Plain, table: Plain, certificate: Plain) -> Iterator[Told]:
    """Measure a promise again, and compare."""
    name = f"{promise['promise']} {'+'.join(promise['columns'])}".strip()
    needs, certified, kind = promise["required"], promise["measured"], promise["kind"]
    left_out = certificate["suppressed"] - certificate["masked"]
    seen = OF_PEOPLE if names_of("entity", certificate["columns"]) else set()  # by pseudonyms; values by rows as well
    if certificate["counted"] == "persons" and kind not in {"l", "p"} | seen:
        yield from check_people(promise, table, certificate, name)
        return
    worst = worst_of(promise, table, certificate["columns"])
    compared = list(map(compare, worst, certified, needs)) if len(certified or []) == len(worst) else [(False, False)]
    kept, fits = (all(pair[which] for pair in compared) for which in (1, 0))
    shown = ", ".join(f"{need['name']} {float(number):.6g}" for need, number in zip(needs, worst, strict=True))
    most, bound = None, Fraction(needs[0]["bound"])
    if kind in {"t", "nt"}:
        most = from_original(promise, worst[0], len({*table[promise["columns"][0]]}), certificate["records"], left_out)
        fits = fits and compare(min(most, bound), promise.get("input_at_most", ""), needs[0])[0]
    other = kind == "nt" and not re.search(rf"(\[|, ){promise['supersets']}\]$", promise["promise"])
    unseen = kind in REFER and bool(left_out) if most is None else most > bound and (bool(left_out) or other)
    if not fits or promise["holds_here"] != kept or unseen == (promise["owner_only"] is None):
        yield False, f"{name}: the certificate differs; found {shown}"
    elif unseen:
        more = "the original table, which only its owner has" if left_out else "larger groups that only its owner knows"
        yield None, f"{name}: {shown} in this file alone; the promise is about {more}"
    else:
        far = f"; at most {float(most):.6g} from the original table, whoever was left out" if left_out and most else ""
        yield True, f"{name}: {shown}{far}"
    if not kept and not unseen:
        yield False, f"{name}: the promise does not hold"


def check_promises(certificate: Plain, table: Plain) -> Iterator[Told]:
    """Compare every promise; the columns of one text stand one after the other."""
    texts, columns = [], certificate["columns"]
    for text, run in groupby(certificate["promises"], key=lambda promise: promise.get("promise")):
        promises = list(run)
        names = [list(name) for name in dict.fromkeys(tuple(promise["columns"]) for promise in promises)]
        texts += [text] * (len(promises) // len(names))
        for promise in promises:
            if is_meant(promise, names, columns):
                yield from check_promise(promise, table, certificate)
            else:
                yield False, "promises: what is measured is not what is promised"
    if not texts or ", ".join(texts) != certificate["promise"]:
        yield False, "promises: they are not those that the certificate names"


def digest_of(path: Path) -> str:
    """Give the SHA-256 of a file; of a folder, that of a list of its files, each with its own."""
    if path.is_dir():
        listed = "".join(f"{file.name}\t{digest_of(file)}\n" for file in sorted(path.glob("[!._]*")))
        return hashlib.sha256(listed.encode()).hexdigest()
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_columns(certificate: Plain, table: Plain, *, escaped: bool) -> Iterator[Told]:
    """Compare what the certificate says of the columns with the file, and with itself."""
    columns, data, measures = certificate["columns"], certificate["data"], certificate["measures"]
    yield list(table) == [column["name"] for column in columns], "names of the columns"
    levels = [column["level"] for column in columns if column["role"] == "quasi-identifier"]
    others = {column["level"] for column in columns if column["role"] != "quasi-identifier"}
    roles = Counter(column["role"] for column in columns)
    hidden = [column["name"] for column in columns if column["role"] in {"identifier", "entity"}]
    people, several = certificate["persons"], certificate["counted"] == "persons"
    quasi = (column["name"] for column in columns if column["role"] == "quasi-identifier")
    found = {name: set(table.get(name, ())) for name in quasi}
    prefixes = [f"{one['name']}." for one in data.get("tables", [])]
    named = [(column["name"], column["level"]) for column in columns if column["role"] == "quasi-identifier"]
    leveled = [(name[len(p) :], level) for name, level in named for p in prefixes if name.startswith(p)]
    stars, starless = data.get("stars", []), {name for name in found if None in found[name] and "*" not in found[name]}
    sound = {
        "how stars are written": len({*stars} & starless) == len(stars),
        "roles of the columns": bool(levels) and roles["count"] <= 1 and roles["entity"] <= several,
        "levels of the columns": len({level is None for level in levels}) <= 1 and others <= {None},
        "items of the columns": all(one["role"] == "quasi-identifier" for one in columns if "items" in one),
        "height": ("height" in measures) == (levels[:1] not in ([], [None])),
        "pseudonymised": certificate["pseudonymised"] == hidden,
        "how texts are escaped": escaped == (data["escaped"] is not None),
        "who has no row": {one["name"]: one["without"] for one in columns if "without" in one}
        == absent_in(certificate),
        "one level of a column in all tables": len({*leveled}) == len({name for name, _ in leveled}),
        "persons": (people is not None) == several and (people or 0) <= certificate["records"],
        "masked": certificate["masked"] in {0, certificate["suppressed"]},
    }
    yield from ((False, name) for name, fine in sound.items() if not fine)


def check(certificate: Plain, table: Plain, *, escaped: bool) -> Iterator[Told]:
    """Compare everything that the table can show."""
    yield from check_columns(certificate, table, escaped=escaped)
    data, columns = certificate["data"], certificate["columns"]
    table |= {name: ["*" if cell is None else cell for cell in table[name]] for name in data.get("stars", [])}
    classes = {labels: bag.total() for labels, bag in classes_of(table, columns, []).items()}
    sizes = [*classes.values()]
    suppressed, masked = certificate["suppressed"], certificate["masked"]  # what is masked is in the file
    left_out, records = suppressed - masked, sum(sizes) + suppressed - masked
    found = {"rows": len(next(iter(table.values()))), "records": sum(sizes), "classes": len(sizes)}
    found["discernibility"] = sum(size * size for size in sizes) - masked**2 + suppressed * records
    found |= {"aecs": records / max(len(sizes) + (left_out > 0), 1), "height": sum(c["level"] or 0 for c in columns)}
    certified = {**data, **certificate, **certificate["measures"]}
    for name in names_of("entity", columns):
        found["persons"] = len({*table[name]})
    for at, column in enumerate(c for c in columns if c["role"] == "quasi-identifier"):
        found[what := f"starred cells of {column['name']}"] = sum(classes[one] for one in classes if one[at] == "*")
        certified |= {what: column["starred"]} if "starred" in column else {}
    for name in (name for name in found if name in certified):
        same = math.isclose(certified[name], found[name], rel_tol=1e-9 if name == "aecs" else 0)
        what = FIGURES.get(name, name)
        yield same, f"{what}: {found[name]}" if same else f"{what}: certified {certified[name]}, found {found[name]}"
    yield from check_promises(certificate, table)


def missing_library(path: Path) -> str | None:
    """Say what must be installed to read a file; nothing if it can be read."""
    if path.is_dir() and path.name == "tables":
        return next(filter(None, map(missing_library, sorted(path.iterdir()))), None)
    need = NEEDS.get(path.suffix.removeprefix("."), "")
    there = [find_spec(package) is not None for package in re.split(" and | or ", need) if package]
    return None if (any if " or " in need else all)(there) else need


def everything(certificate: Plain, path: Path) -> Iterator[Told]:
    """Compare everything; what goes wrong after the file was read is the certificate's fault."""
    data, files = certificate["data"], path.glob("[!._]*") if path.is_dir() else [path]
    size = sum(file.stat().st_size for file in files)
    yield (digest_of(path), size) == (data["sha256"], data["bytes"]), "hash of the data file"
    if "labels" in data:
        beside = path.with_name("labels.csv")
        yield beside.is_file() and digest_of(beside) == data["labels"], "hash of the labels"
    if "tables" in data:
        table = None
        for told in read_tables(certificate, path):
            table = told if isinstance(told, dict) else table
            if not isinstance(told, dict):
                yield told
        if table is not None:
            yield from measured(certificate, table, escaped=any(".csv" in one["file"] for one in data["tables"]))
        return
    escaped = path.suffix == ".xlsx" or ".csv" in path.suffixes
    fine, table = read_table(path, data.get("dialect", PLAIN), escaped=escaped)
    if not fine:
        yield False, "how numbers, days and characters are written"
    yield from measured(certificate, table, escaped=escaped)


def measured(certificate: Plain, table: Plain, *, escaped: bool) -> Iterator[Told]:
    """Compare everything that the table can show; if that fails, say so."""
    try:
        yield from check(certificate, table, escaped=escaped)
    except Exception as error:  # noqa: BLE001 - a certificate that was edited can fail in any way
        yield False, f"what is certified cannot be measured ({type(error).__name__})"


def outcome(certificate: Plain, path: Path, say: Callable[[str], object]) -> int:
    """Check, say what was found, and give the exit code."""
    told, states = [], {True: "as certified", False: "DIFFERS", None: "not checked"}
    try:
        for fine, what in everything(certificate, path):
            told.append(fine)
            say(f"{states[fine]:<14}{what}\n")
    except Exception as error:  # noqa: BLE001 - whatever it is, its message may quote the data
        say(f"cannot read the data file ({type(error).__name__}).\n")
        return 1 if False in told or (told and "dialect" in certificate["data"]) else 2  # it is not written as said
    trusted = ["date", "versions", "limits", "what the columns are and mean", "how many records were left out"]
    trusted += ["how dates were shifted"] * any(c["role"] == "shifted" for c in certificate["columns"])
    trusted += [f"the {name}" for name in ("search", "signature") if name in certificate]
    say(f"{'on trust':<14}{', '.join(trusted)}\n")
    if False in told:
        say(f"DOES NOT HOLD: {told.count(False)} of {len(told)} differ from the certificate.\n")
        return 1
    if None in told:
        say(f"COULD NOT BE CHECKED: {told.count(None)} of the promises; all else is as certified.\n")
        return 4
    say("HOLDS: every promise was measured again, and nothing differs.\n")
    return 0


def main(arguments: list[str]) -> int:
    """Read the certificate, check, and give the exit code."""
    path, say = Path(arguments[0]) if arguments else Path(__file__).with_name("release.json"), sys.stdout.write
    try:
        certificate = certificate_from(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, RecursionError) as error:
        say(f"cannot read the certificate ({type(error).__name__}).\n")
        return 2
    if not isinstance(certificate, dict) or certificate.get("schema") != 1:
        say("cannot read the certificate: this script knows those with schema 1.\n")
        return 2
    if wrong := wrong_in(certificate):
        say("".join(f"{'DIFFERS':<14}shape of the {place}\n" for place in wrong))
        say("DOES NOT HOLD: the certificate was edited or damaged.\n")
        return 1
    data = path.resolve().parent / Path(certificate["data"]["name"]).name
    if (need := missing_library(data)) is not None:
        say(f"COULD NOT BE CHECKED: to read {data.name}, install {need} (python -m pip install ...).\n")
        return 4
    return outcome(certificate, data, say)


if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack signs that a column has
    sys.exit(main(sys.argv[1:]))
