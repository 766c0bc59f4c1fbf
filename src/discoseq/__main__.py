"""`python -m discoseq`."""

from discoseq.cli.main import main

if __name__ == "__main__":
    main()
