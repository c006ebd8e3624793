"""The version, kept here alone; the package metadata reads it from this file."""

__version__ = "0.2.0"
