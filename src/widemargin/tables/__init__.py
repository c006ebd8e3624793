"""Tables from files: read, prepared as features, and written."""

FORMATS = ("csv", "tsv", "parquet", "xlsx", "npz")  # known before pandas is imported
