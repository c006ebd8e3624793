"""Tables from files: read, prepared as features, and written."""
