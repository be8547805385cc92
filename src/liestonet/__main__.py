"""`python -m liestonet` is `liestonet`."""

from liestonet.cli import main

if __name__ == "__main__":
    main()
