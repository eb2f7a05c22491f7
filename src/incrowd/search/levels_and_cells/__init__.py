"""``LevelsAndCells``: one level per column, and stars in single cells."""
