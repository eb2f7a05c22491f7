"""Every command with files: what it says, what it leaves behind, and its exit code.

All of them are run in a process of their own, and so is what only a process can do: run out of disk, be killed, be
stopped.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv
import pytest

import incrowd as ic
from engines.extras import skip

Process = Callable[..., tuple[int, str, str]]

PEOPLE = "name,age,disease\nAda,31,flu\nBob,34,hiv\nCem,52,flu\nDee,55,hiv\n"
PLAN = """
version = 1
[data]
path = "people.csv"
[columns.name]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = [10, 100] }
[columns.disease]
role = "sensitive"
[privacy]
promise = ["k>=2"]
[search]
algorithm = "optimal"
[output]
folder = "out"
[report]
write = false
"""
ASSESS = ("assess", "people.csv", "--quasi", "age", "--sensitive", "disease")
INIT = ("init", "people.csv", "-o", "new.toml")
ANONYMIZE = ("anonymize", "plan.toml")
BUILD = ("hierarchy", "build", "people.csv", "--column", "age")
CERTIFICATE = "out/public/release.json"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "age.csv").write_text("31;x;*\n34;x;*\n")
    return tmp_path


def left(folder: Path) -> set[str]:
    """Give what was not there before."""
    return {path.name for path in folder.iterdir()} - {"people.csv", "plan.toml", "age.csv"}


EVERY = [
    INIT,
    ANONYMIZE,
    ("verify", CERTIFICATE, "--owner", "out/owner", "--original", "people.csv"),
    ("apply", "out/owner", "people.csv", "-o", "again"),
    ("compare", "out", "again"),
    ("attack", "out", "--original", "people.csv"),
    ("frontier", "plan.toml"),
    ("alternatives", "plan.toml"),
    (*ASSESS, "--require", "k>=1"),
    (*BUILD, "--kind", "intervals", "--widths", "10", "-o", "h.csv"),
    ("hierarchy", "check", "h.csv", "--data", "people.csv", "--column", "age"),
    ("hierarchy", "show", "h.csv"),
    ("demo", "--rows", "200", "-o", "demo"),
    ("explain", "IC201"),
]
ONE_BY_ONE = f"""
from incrowd.cli import main
for command in {EVERY!r}:
    try:
        main(command)
    except SystemExit as end:
        assert end.code == 0, command
"""


def test_every_command_does_its_job(process: Process, folder: Path) -> None:
    assert process("--help", first=ONE_BY_ONE)[0] == 0
    assert left(folder) == {"new.toml", "out", "again", "h.csv", "demo"}


HELP = """
from incrowd.cli import main
for command in {commands!r}:
    try:
        main([*command, "--help"])
    except SystemExit as end:
        assert not end.code, command
"""


def test_help_says_as_much_where_python_keeps_no_docstrings() -> None:
    commands = [(), ("hierarchy",), *(("hierarchy", one) for one in ("build", "check", "show"))]
    commands += sorted({command[:1] for command in EVERY} | {("reproduce",), ("serve",)})
    code = HELP.format(commands=commands)
    plain, optimized = (
        subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True, check=True).stdout
        for options in ((), ("-OO",))
    )
    assert "For example: incrowd anonymize plan.toml --dry-run" in plain
    assert optimized == plain


def test_a_dry_run_says_the_same_and_writes_nothing(inside: Process, folder: Path) -> None:
    code, shown, said = inside(*ANONYMIZE, "--dry-run")
    assert (code, left(folder)) == (0, set())
    assert "dry run: nothing was written." in said.splitlines()  # a hint may follow, if it was soon found
    assert inside(*ANONYMIZE)[:2] == (0, shown)


@pytest.mark.parametrize(
    "arguments", [(*ANONYMIZE, "--quiet"), (*ASSESS, "--quiet"), ("frontier", "plan.toml"), ("explain",)]
)
def test_quiet_and_json_leave_nothing_but_json(inside: Process, arguments: tuple[str, ...]) -> None:
    code, out, err = inside(*arguments, "--json")
    assert (code, err, json.loads(out)["schema"]) == (0, "", 1)


@pytest.mark.parametrize(
    "arguments",
    [
        (*ASSESS, "--require", "k>=5"),
        ("hierarchy", "check", "age.csv", "--data", "people.csv", "--column", "age"),
        ("demo", "--rows", "3", "-o", "demo"),
    ],
)
def test_a_promise_that_does_not_hold_exits_with_1(inside: Process, folder: Path, arguments: tuple[str, ...]) -> None:
    assert inside(*arguments)[0] == 1
    assert left(folder) == set()


def test_a_k_larger_than_the_table_exits_with_1(inside: Process, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN.replace("k>=2", "k>=5"))
    code, out, err = inside(*ANONYMIZE)
    assert (code, out, left(folder)) == (1, "", set())
    assert "error[IC201]: No release can keep the promise. k>=5: The table has 4 records" in err
    assert err.splitlines()[-2:] == ["hint: k>=4 would be possible.", "more: incrowd explain IC201"]


def test_a_changed_file_exits_with_1(inside: Process, folder: Path) -> None:
    inside(*ANONYMIZE)
    data = folder / "out/public/data.csv"
    data.write_text(data.read_text().replace("hiv", "flu", 1))
    assert inside("verify", CERTIFICATE)[0] == 1


BAD = {
    "a missing file": (None, "There is no file '"),
    "an empty file": (b"", "The file 'people.csv' is empty."),
    "ragged rows": (b"name,age,disease\na,31,flu\nb,34,hiv,5\n", "Line 3 of the file 'people.csv' has 4 values,"),
    "an open quote": (b'name,age,disease\na,31,flu\nb,34,"hiv\n', "Line 3 of the file 'people.csv' has a quote"),
    "two encodings": (
        "name,age,disease\na,31,Grün\n".encode() + "b,32,Grün\n".encode("cp1252"),
        "1 are not, the first of them line 3.",
    ),
    "two equal names": (b"name,age,age,disease\na,31,3,flu\n", "Columns 2 and 3 of the table have the same name"),
    "no text": (bytes(range(256)) * 4, "error[IC106]: "),
}


@pytest.mark.parametrize("kind", BAD)
def test_input_that_cannot_be_read_exits_with_2(inside: Process, folder: Path, kind: str) -> None:
    content, message = BAD[kind]
    (folder / "people.csv").unlink()
    if content is not None:
        (folder / "people.csv").write_bytes(content)
    ends = [inside(*command) for command in (ANONYMIZE, ASSESS, INIT, BUILD)]
    assert ([end[:2] for end in ends], left(folder)) == ([(2, "")] * 4, set())
    for _, _, err in ends:
        assert message in err
        assert err.splitlines()[-1].startswith("more: incrowd explain IC10")


@pytest.mark.parametrize("command", [ASSESS, ANONYMIZE, BUILD], ids=lambda command: command[0])
def test_another_encoding_is_named_and_not_taken(inside: Process, folder: Path, command: tuple[str, ...]) -> None:
    (folder / "people.csv").write_bytes("name,age,disease\na,31,Grün\n".encode("cp1252"))
    code, _, err = inside(*command)
    assert (code, left(folder)) == (2, set())
    assert 'hint: it can be read with --encoding cp1252, or encoding = "cp1252" in a plan.' in err


@pytest.mark.parametrize("command", [ASSESS, ANONYMIZE, BUILD], ids=lambda command: command[0])
def test_an_unknown_column_exits_with_2_and_the_nearest_is_named(
    inside: Process, folder: Path, command: tuple[str, ...]
) -> None:
    (folder / "people.csv").write_text(PEOPLE.replace("age", "aeg"))
    code, _, err = inside(*command)
    assert (code, left(folder)) == (2, set())
    assert "The table has no column 'age'" in err
    assert "hint: did you mean 'aeg'?\n" in err


def test_only_a_header_can_be_looked_at_but_not_published(inside: Process, folder: Path) -> None:
    (folder / "people.csv").write_text("name,age,disease\n")
    assert [inside(*command)[0] for command in (ASSESS, INIT, BUILD)] == [0, 0, 0]
    code, _, err = inside(*ANONYMIZE)
    assert (code, "error[IC201]: The table has no records" in err) == (1, True)
    assert left(folder) == {"new.toml"}


def test_one_row_can_be_looked_at_but_not_published(inside: Process, folder: Path) -> None:
    (folder / "people.csv").write_text("name,age,disease\nAda,31,flu\n")
    assert [inside(*command)[0] for command in (ASSESS, INIT, ANONYMIZE)] == [0, 0, 1]
    assert left(folder) == {"new.toml"}


def test_a_hierarchy_that_misses_values_exits_with_2(inside: Process, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN.replace("{ intervals = [10, 100] }", '{ tree = "age.csv" }'))
    code, _, err = inside(*ANONYMIZE)
    assert (code, left(folder)) == (2, set())
    assert err.splitlines()[1].startswith("error[IC105]: ")
    assert "--show-values" in err
    assert "\n  '52'\n" in inside(*ANONYMIZE, "--show-values")[2]


def test_a_plan_with_mistakes_exits_with_2_and_all_are_told(inside: Process, folder: Path) -> None:
    (folder / "plan.toml").write_text(PLAN.replace('"quasi"', '"quas"').replace("k>=2", "k>=x"))
    code, _, err = inside(*ANONYMIZE)
    assert (code, err.startswith("error[IC107]: The plan 'plan.toml' has 2 problems.")) == (2, True)


def test_what_exists_is_replaced_only_by_force(inside: Process, folder: Path) -> None:
    inside(*ANONYMIZE)
    before = (folder / CERTIFICATE).stat().st_ino
    code, _, err = inside(*ANONYMIZE)
    assert (code, "The folder 'out' exists already." in err) == (2, True)
    assert (folder / CERTIFICATE).stat().st_ino == before
    assert inside(*ANONYMIZE, "--force")[0] == 0
    assert (folder / CERTIFICATE).stat().st_ino != before


def mounted(options: str) -> tuple[str, ...]:
    """Run a command where the folder ``small`` is a file system of its own, seen by nobody else."""
    script = f'mount -t tmpfs -o {options} tmpfs small && exec "$@"'
    return ("unshare", "--mount", "sh", "-c", script, "sh")


@pytest.fixture(scope="module")
def mounting(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where no file system may be mounted."""
    place = tmp_path_factory.mktemp("mounting")
    (place / "small").mkdir()
    allowed = shutil.which("unshare") and os.geteuid() == 0
    if not allowed or subprocess.run([*mounted("size=64k"), "true"], cwd=place, check=False).returncode:
        skip("only root may mount a small file system")


@pytest.fixture
def many(folder: Path) -> None:
    """Make the table larger than a small disk, and let the release go there."""
    pyarrow.csv.write_csv(ic.hospital(5_000).select(["name", "sex", "diagnosis"]), folder / "people.csv")
    plan = PLAN.replace("columns.age", "columns.sex").replace("{ intervals = [10, 100] }", "{ flat = true }")
    (folder / "plan.toml").write_text(
        plan.replace("columns.disease", "columns.diagnosis").replace('"out"', '"small/out"')
    )
    (folder / "small").mkdir()


@pytest.mark.usefixtures("mounting", "many")
def test_a_full_disk_exits_with_3(process: Process) -> None:
    code, _, err = process(*ANONYMIZE, under=mounted("size=64k"))
    assert code == 3
    assert "error[IC302]: " in err
    assert err.splitlines()[-1] == "more: incrowd explain IC302"


@pytest.mark.usefixtures("many")
def test_a_disk_that_takes_no_more_leaves_nothing_behind(process: Process, folder: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))"
    code, _, err = process(*ANONYMIZE, first=limited)
    assert (code, "error[IC302]: " in err) == (3, True)
    assert list((folder / "small").iterdir()) == []


@pytest.mark.usefixtures("mounting", "many")
def test_a_folder_that_may_not_be_written_exits_with_2(process: Process) -> None:
    code, _, err = process(*ANONYMIZE, under=mounted("ro"))
    assert (code, "Cannot write the folder 'out': Read-only file system." in err) == (2, True)


def test_a_job_in_the_background_that_does_not_hear_ctrl_c_can_be_told_to_end(process: Process, folder: Path) -> None:
    deaf = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code, _, err = process(*ANONYMIZE, first=deaf + STRUCK.format(signal="SIGTERM"))
    assert (code, err.splitlines()[-1], left(folder)) == (130, "stopped.", set())


def test_a_job_that_is_to_outlive_its_terminal_does(process: Process, folder: Path) -> None:
    first = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + STRUCK.format(signal="SIGHUP")
    assert process(*ANONYMIZE, first=first)[0] == 0
    assert (folder / CERTIFICATE).exists()


STRUCK = "import os, signal\nos.fsync = lambda _: os.kill(os.getpid(), signal.{signal})"


@pytest.mark.parametrize("before", ["nothing", "a release"])
def test_who_is_killed_while_writing_leaves_the_old_release_or_none(
    process: Process, inside: Process, folder: Path, before: str
) -> None:
    old = None
    if before == "a release":
        inside(*ANONYMIZE)
        old = (folder / CERTIFICATE).read_bytes()
    code, _, _ = process(*ANONYMIZE, "--force", first=STRUCK.format(signal="SIGKILL"))
    assert code == -signal.SIGKILL
    assert len([name for name in left(folder) if name.endswith(".part")]) == 1
    assert ((folder / CERTIFICATE).read_bytes() if (folder / "out").exists() else None) == old
    assert inside(*ANONYMIZE, "--force")[0] == 0
    assert left(folder) == {"out"}


@pytest.mark.parametrize(("command", "by"), [(ANONYMIZE, "SIGINT"), (INIT, "SIGTERM"), (ANONYMIZE, "SIGHUP")])
def test_who_is_stopped_while_writing_leaves_nothing_and_130(
    process: Process, folder: Path, command: tuple[str, ...], by: str
) -> None:
    code, _, err = process(*command, first=STRUCK.format(signal=by))
    assert (code, err.splitlines()[-1], left(folder)) == (130, "stopped.", set())


IMPORTING = """import os, signal, sys
def struck(event, given):
    if event == "import" and given[0] == {module!r}:
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(struck)"""
MODULES = [
    *("typer", "incrowd.cli._commands", "incrowd.plan"),
    *("numpy", "duckdb", "pyarrow.parquet", "pydantic", "importlib.metadata"),
]


@pytest.mark.parametrize("module", MODULES)
def test_who_is_stopped_while_something_is_imported_leaves_nothing_and_130(
    process: Process, folder: Path, module: str
) -> None:
    code, out, err = process(*ANONYMIZE, "--quiet", first=IMPORTING.format(module=module))
    assert (code, out, err, left(folder)) == (130, "", "stopped.\n", set())


def test_ctrl_c_at_the_very_end_changes_nothing(process: Process) -> None:
    first = "import atexit, os, signal\natexit.register(os.kill, os.getpid(), signal.SIGINT)"
    assert process("explain", "IC101", first=first)[::2] == (0, "")


def test_who_is_stopped_while_reading_and_searching_leaves_nothing_and_130(folder: Path) -> None:
    pyarrow.csv.write_csv(ic.hospital(200_000), folder / "people.csv")
    roles = {name: {"role": "quasi"} for name, _ in ic.hospital_schema().quasi}
    roles |= {"name": {"role": "identifier"}, "diagnosis": {"role": "sensitive"}, "cost": {"role": "drop"}}
    tables = {"version": 1, "data": {"path": "people.csv"}, "columns": roles, "privacy": {"promise": ["k>=5"]}}
    ic.Plan.of(tables, folder=folder).write(folder / "plan.toml", force=True)
    command = [sys.executable, "-c", "from incrowd.cli import main; main()", *ANONYMIZE]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert running.stderr.readline() == "plan     plan.toml: k>=5\n"
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
    assert (running.returncode, said, left(folder)) == (130, "stopped.\n", set())


def test_completion_offers_the_commands(process: Process) -> None:
    asked = "import os; os.environ.update(_INCROWD_COMPLETE='complete_bash', COMP_WORDS='incrowd a', COMP_CWORD='1')"
    code, out, _ = process(first=asked)
    assert (code, {"anonymize", "assess"} <= set(out.split()), "init" in out) == (0, True, False)
