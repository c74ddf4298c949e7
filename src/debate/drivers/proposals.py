"""Which files a proposal names: inside the project, no folder, nothing that belongs to the helper or the client."""

from __future__ import annotations

import os
from collections.abc import Sequence

from debate.drivers.place import Place
from debate.guard.places import Places, below
from debate.model import BadInput

MOST = 20  # a person reads them in one question


def named(place: Place, paths: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files as they are shown, from the project's root, and as the hook will meet them."""
    root = os.path.realpath(place.root)
    places = Places(root, place.state, place.environ)
    shown, whole = [], []
    for path in dict.fromkeys(paths):
        real = os.path.realpath(os.path.join(place.root, path))
        if not below(real, root) or real == root or "\0" in path:
            raise BadInput(
                f"{path} is not a file of this project.", suggestion="Name files below the project's root."
            )
        if places.is_never(real) or below(real, os.path.join(root, ".git")):
            raise BadInput(f"{path} is not for a debate to change.", suggestion="Name other files.")
        if os.path.isdir(real):
            raise BadInput(f"{path} is a folder.", suggestion="Name each file that would change.")
        shown.append(os.path.relpath(real, root))
        whole.append(real)
    if not shown or len(shown) > MOST:
        raise BadInput(f"A proposal names 1 to {MOST} files.", suggestion="Propose it in parts.")
    return shown, whole
