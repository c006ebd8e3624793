"""Formats of table files, known before a library that reads them is imported."""

FORMATS = ("csv", "tsv", "parquet", "npz")
