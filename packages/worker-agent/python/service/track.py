"""Node code has no use for tracking of its own: its run is the engine's. It is told so by name, not by an import error."""


class Cancelled(Exception):
    """Of runs in scripts and notebooks; never raised here."""


def run(*args, **options):
    """Raises RuntimeError, and names what node code uses instead."""
    raise RuntimeError(
        "track.run() is for scripts and notebooks; a node is part of a run: publish points by emit(), as in emit(loss=0.3)"
    )
