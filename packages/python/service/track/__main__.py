"""`python -m service.track sync`: sends what runs have said and an engine has not got."""

import argparse
import sys
from pathlib import Path

from .._engine import service_folder
from ._journal import InUse, Journal
from ._sender import Later, Over, Sender


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 when everything has arrived, 1 when something waits or was refused, 2 for a bad command."""
    parser = argparse.ArgumentParser(prog="python -m service.track", description="Runs of scripts and notebooks.")
    commands = parser.add_subparsers(dest="command", required=True)
    sync = commands.add_parser("sync", help="send what runs have said and an engine has not got")
    sync.add_argument(
        "paths", nargs="*", type=Path, help="journals, or folders of them; .service/track here or above unless given"
    )
    given = parser.parse_args(arguments)
    files = [file for path in given.paths or [service_folder() / "track"] for file in journals(path)]
    if not files:
        print("nothing waits")
    return max([send(file) for file in files], default=0)


def journals(path: Path) -> list[Path]:
    """The journals of a folder, oldest run first; or the one that is named."""
    return sorted(path.glob("*.jsonl")) if path.is_dir() or not path.exists() else [path]


def send(file: Path) -> int:
    """Sends one journal, and says what became of it. A run whose program has died ends at the engine by itself."""
    try:
        journal = Journal(file)
    except InUse:
        print(f"{file.stem}: its program still runs, and sends by itself")
        return 0
    except (OSError, ValueError) as error:
        print(f"{file.stem}: {error}", file=sys.stderr)
        return 1
    sender = Sender(journal)
    try:
        sender.send_all()
    except Later as why:
        journal.let_go()
        print(f"{file.stem}: waits: {why}", file=sys.stderr)
        return 1
    except Over as why:
        journal.let_go()
        print(f"{file.stem}: refused: {why}; remove {file} to give it up", file=sys.stderr)
        return 1
    journal.remove()
    print(f"{file.stem}: {'cancelled' if sender.cancelled else 'sent'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
