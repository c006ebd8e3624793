"""Run the command line: ``python -m widemargin``."""

from widemargin.cli.main import main

if __name__ == "__main__":
    main(prog_name="widemargin")
