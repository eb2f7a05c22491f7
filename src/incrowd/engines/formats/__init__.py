"""Kinds of files and databases: CSV, Excel, SPSS, Stata, SAS, and how texts are encoded and written."""
