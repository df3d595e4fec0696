"""Entry point of ``python -m adcl``, the same as ``adcl``."""

from adcl.cli import main

if __name__ == "__main__":
    main()
