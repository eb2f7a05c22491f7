from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from incrowd.core import DataError
from incrowd.engines import header_of, open_table
from incrowd.engines.formats._charset import Charset

TEXTS = {
    "utf-8": "town,price\nKöln,5 €\nŁódź,6 €\n",
    "utf-16": "town,price\nKöln,5 €\nŁódź,6 €\n",
    "utf-16-le": "town,price\nKöln,5 €\nBonn,6 €\n",
    "utf-16-be": "town,price\nKöln,5 €\nBonn,6 €\n",
    "cp1252": "town,price\nKöln,5 €\nBonn,6 €\n",
}


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
@pytest.mark.parametrize("encoding", TEXTS)
def test_the_encoding_that_is_advised_reads_the_file(tmp_path: Path, encoding: str, ending: str) -> None:
    path = tmp_path / f"prices{ending}"
    content = TEXTS[encoding].encode(encoding)
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    with pytest.raises(DataError, match="is not valid") as refused:
        open_table(path, encoding="ascii" if encoding == "utf-8" else "utf-8")
    advised = re.search("it can be read with encoding='(.*)'", refused.value.hint)
    assert advised is not None
    assert advised[1] == encoding
    towns = open_table(path, encoding=advised[1]).domains(["town"])["town"].texts.tolist()
    assert "Köln" in towns


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_of_two_bytes_a_letter_is_not_taken_for_utf_8(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "plain.csv").write_bytes("town,price\nBonn,5\n".encode(encoding))
    with pytest.raises(DataError, match=f"zeros between its letters.*it can be read with encoding='{encoding}'"):
        open_table(tmp_path / "plain.csv")
    assert list(open_table(tmp_path / "plain.csv", encoding=encoding).columns()) == ["town", "price"]


@pytest.mark.parametrize("place", [1, 200_000])
def test_a_file_of_windows_is_advised_wherever_its_signs_are(tmp_path: Path, place: int) -> None:
    lines = ["town,price", *("Köln,5" for _ in range(place)), "Bonn,5 €", ""]
    (tmp_path / "prices.csv").write_bytes("\n".join(lines).encode("cp1252"))
    with pytest.raises(DataError, match=r"it can be read with encoding='cp1252'\."):
        open_table(tmp_path / "prices.csv").domains(["price"])


def test_a_file_that_is_wrong_far_below_is_advised_too(tmp_path: Path) -> None:
    lines = ["town,price", *("Bonn,5" for _ in range(200_000)), "Köln,5", ""]
    (tmp_path / "prices.csv").write_bytes("\n".join(lines).encode("latin-1"))
    with pytest.raises(DataError, match=r"Line 200002 .*it can be read with encoding='cp1252'\."):
        open_table(tmp_path / "prices.csv").domains(["town"])


def test_what_no_usual_encoding_reads_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_bytes("town,price\nK\x94ln,5\x8d \xdb\xb3\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"say how it was saved, such as encoding='cp437'\. No usual encoding fits"):
        open_table(tmp_path / "old.csv")
    assert open_table(tmp_path / "old.csv", encoding="cp437").domains(["town"])["town"].texts.tolist() == ["Köln"]


def test_a_file_that_is_no_text_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\xff\xfe" * 50)
    with pytest.raises(DataError, match="does not look like a text file: is the ending of its name the right one"):
        open_table(tmp_path / "picture.csv")


TOWNS = {
    "cp1252": ["Köln", "Gößweinstein", "Mürzzuschlag", "Ägidienberg", "Zürich"],
    "cp1250": [
        "Łódź",
        "Michałowo",
        "Kraśnik",
        "Żywiec",
        "Świętochłowice",
        "Bełchatów",
        "Chełm",
        "Zgorzelec",
        "Wołomin",
    ],
    "iso8859-2": ["Šumperk", "Příbram", "Kroměříž", "Děčín", "Žďár", "Tábor", "Třebíč", "Jindřichův Hradec"],
    "cp1254": ["İstanbul", "Eskişehir", "Çanakkale", "Muğla", "Beyoğlu", "Kadıköy"],  # noqa: RUF001
    "cp1251": ["Москва", "Новосибирск", "Екатеринбург", "Казань", "Ростов", "Самара", "Волгоград"],
    "koi8-r": ["Москва", "Новосибирск", "Екатеринбург", "Казань", "Ростов", "Самара", "Волгоград"],
    "cp1253": ["Αθήνα", "Θεσσαλονίκη", "Πάτρα", "Ηράκλειο", "Λάρισα", "Ιωάννινα"],
    "cp932": ["東京都新宿区", "大阪市北区", "名古屋市", "さいたま市", "札幌市", "横浜市", "ひたちなか市"],
    "euc_jp": ["東京都新宿区", "大阪市北区", "さいたま市", "つくばみらい市", "ひたちなか市", "いわき市", "むつ市"],
    "gb18030": ["北京市", "上海市", "广州市", "深圳市", "成都市", "武汉市", "西安市", "重庆市", "苏州市", "杭州市"],
    "big5": ["臺北市", "高雄市", "新北市", "臺中市", "桃園市", "基隆市", "新竹縣"],
    "euc_kr": ["서울특별시", "부산광역시", "대구광역시", "인천광역시", "광주광역시", "대전광역시"],
    "cp850": ["Köln", "Gößweinstein", "Mürzzuschlag", "Zürich", "Fürth"],
}


@pytest.mark.parametrize("encoding", TOWNS)
def test_the_letters_of_a_language_tell_the_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "towns.csv"
    path.write_bytes("".join(f"{number};{town}\n" for number, town in enumerate(TOWNS[encoding])).encode(encoding))
    found = Charset.of(path)
    assert found is not None
    assert found.encoding == encoding


def test_letters_that_fit_two_alphabets_are_not_sure(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("name\nè\n".encode("cp1252"))  # Italian, or the Czech č
    found = Charset.of(path)
    assert found is not None
    assert (found.encoding, found.sure, found.others[:2]) == ("cp1252", False, ("cp1250", "iso8859-2"))
    path.write_bytes("name\nKöln\n".encode("cp1252"))
    assert Charset.of(path) == Charset("cp1252", sure=True)


NAMES = {
    "cp1254": ["Kadıköy Şişli", "Işık Ağrı", "Yıldız Ayşe"],  # noqa: RUF001 - the letters themselves
    "cp1250": ["Dvořák Novák", "Černý Říčany", "Růžička", "Łódź"],
    "cp1252": ["Þór Guðrún", "Søren", "Muñoz José", "Hélène Nîmes Besançon", "città perché", "Sørensen"],
}


@pytest.mark.parametrize(("encoding", "names"), [(encoding, one) for encoding in NAMES for one in NAMES[encoding]])
def test_a_few_letters_are_read_as_the_most_usual_ones(encoding: str, names: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(f"name\n{names}\n".encode(encoding))
    found = Charset.of(tmp_path / "t.csv")
    assert found is not None
    assert found.encoding == encoding
    assert found.sure == (not found.others)


@pytest.mark.parametrize("place", [0, 30, 20_000])
def test_a_single_line_of_utf_8_among_others_is_refused_with_its_number(place: int, tmp_path: Path) -> None:
    lines = ["Köln und Zürich".encode("cp1252")] * 30_000
    lines[place] = "Köln".encode()
    (tmp_path / "t.csv").write_bytes(b"\n".join([b"name", *lines]))
    with pytest.raises(DataError, match=rf"1 are of UTF-8, the first of them line {place + 2:,}, and 29,999 are not"):
        Charset.of(tmp_path / "t.csv")


def test_a_file_of_two_encodings_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("name\nKöln\nZürich\n".encode() + "Köln\n".encode("cp1252") + b"Bonn\n")
    with pytest.raises(DataError, match=r"2 are of UTF-8, the first of them line 2, and 1 are not, .* line 4\."):
        Charset.of(path)
    with pytest.raises(DataError, match="two encodings: of its lines with special characters 2 are"):
        open_table(path).domains(["name"])


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ('name;"a,b,c,d";x\n1;2,5;3\n2;2,75;4\n', ";"),
        ("a;b;c\n1,5;2,5;3,5\n", ";"),
        ('"a;b;c","x"\n1,2\n3,4\n', ","),
        ("town, land;x\n1;2\n", ";"),
        ("a|b,c,d\n1|2\n", "|"),
        ("a\tb\n1,5\t2,5\n", "\t"),
        ("a\n1,5\n2,5\n", ";"),
        ("a,b\n", ","),
        ("a;b\n", ";"),
    ],
)
def test_the_lines_tell_the_separator(tmp_path: Path, text: str, separator: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert header_of(path, "utf-8", None).separator == separator
