"""Lets ``python -m adcl`` stand for ``adcl``."""

from adcl.cli import main

if __name__ == "__main__":
    main()
