"""Which files a proposal names: inside the project, no folder, nothing that belongs to the helper or the client."""

from __future__ import annotations

import os
from collections.abc import Sequence

from debate import questions
from debate.drivers.place import Place
from debate.guard.places import Places, below
from debate.model import BadInput

MOST = 20  # a person reads them in one question


def named(place: Place, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files as they are shown, from the project's root, and as the hook will meet them."""
    root = os.path.realpath(place.root)
    places = Places(root, place.state, place.environ)
    found: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(os.path.join(root, path)) if "\0" not in path else root
        if not below(real, root) or real == root:
            raise BadInput(
                f"{path} is not a file of this project.", suggestion="Name files below the project's root."
            )
        shown = os.path.relpath(real, root)
        if places.is_never(real) or ".git" in shown.casefold().split(os.sep):
            raise BadInput(f"{path} is not for a debate to change.", suggestion="Name other files.")
        if os.path.isdir(real):
            raise BadInput(f"{path} is a folder.", suggestion="Name each file that would change.")
        found[real] = shown
    if not found or len(found) > MOST:
        raise BadInput(f"A proposal names 1 to {MOST} files.", suggestion="Propose it in parts.")
    if not questions.shows(list(found.values())):  # a yes is for what was seen, and for nothing else
        raise BadInput(
            "The question cannot show these names to the user as they are.",
            suggestion="Propose it in parts; a name with characters that nobody sees cannot be proposed.",
        )
    return list(found.values()), list(found)
