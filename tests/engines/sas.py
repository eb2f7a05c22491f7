"""Makes a file of SAS for the tests: pyreadstat cannot write one, but the C library inside it can."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path

_TEXT, _NUMBER = 0, 5
_TAKE = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def write_sas7bdat(columns: Mapping[str, Sequence[float | str | None]], labels: Mapping[str, str], path: Path) -> None:
    """Write columns of texts or floats, one of them at least."""
    library = _library()
    written = bytearray()

    def take(data: int, length: int, _: object) -> int:
        written.extend(ctypes.string_at(data, length))
        return length

    callback = _TAKE(take)
    writer = library.readstat_writer_init()
    library.readstat_set_data_writer(writer, callback)
    variables = {}
    for name, values in columns.items():
        kind = _TEXT if any(isinstance(value, str) for value in values) else _NUMBER
        variables[name] = library.readstat_add_variable(writer, name.encode(), kind, 16 if kind == _TEXT else 0)
        library.readstat_variable_set_label(variables[name], labels.get(name, "").encode())
    rows = list(zip(*columns.values(), strict=True))
    assert library.readstat_begin_writing_sas7bdat(writer, None, len(rows)) == 0
    for row in rows:
        library.readstat_begin_row(writer)
        for variable, value in zip(variables.values(), row, strict=True):
            if value is None:
                library.readstat_insert_missing_value(writer, variable)
            elif isinstance(value, str):
                library.readstat_insert_string_value(writer, variable, value.encode())
            else:
                library.readstat_insert_double_value(writer, variable, float(value))
        library.readstat_end_row(writer)
    assert library.readstat_end_writing(writer) == 0
    library.readstat_writer_free(writer)
    path.write_bytes(written)


def _library() -> ctypes.CDLL:
    from pyreadstat import _readstat_writer  # noqa: PLC0415 - optional

    library = ctypes.CDLL(_readstat_writer.__file__)
    pointer = ctypes.c_void_p
    library.readstat_writer_init.restype = pointer
    library.readstat_set_data_writer.argtypes = [pointer, _TAKE]
    library.readstat_add_variable.argtypes = [pointer, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t]
    library.readstat_add_variable.restype = pointer
    library.readstat_variable_set_label.argtypes = [pointer, ctypes.c_char_p]
    library.readstat_begin_writing_sas7bdat.argtypes = [pointer, pointer, ctypes.c_long]
    library.readstat_insert_missing_value.argtypes = [pointer, pointer]
    library.readstat_insert_string_value.argtypes = [pointer, pointer, ctypes.c_char_p]
    library.readstat_insert_double_value.argtypes = [pointer, pointer, ctypes.c_double]
    for name in ("begin_row", "end_row", "end_writing", "writer_free"):
        getattr(library, f"readstat_{name}").argtypes = [pointer]
    return library
