"""Bytes on disk: the lock, writes that are flushed, and what is said when one fails.

No link is followed in the place of a file: a project's folder may come from anywhere, and what is written for
a debate must not end up outside `.debates/`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from debate.model import BadInput, OutOfReach, Unknown

LOCK_SECONDS = 20
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_IN_THE_WAY = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ELOOP)
_PLAIN = os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """The right to write this record. Plain flock on the file that filelock would use: importing that costs
    more than the rest of an append."""
    lock = path.parent / ".locks" / f"{path.stem}.lock"
    deadline = time.monotonic() + LOCK_SECONDS
    try:
        lock.parent.mkdir(exist_ok=True)
        while (descriptor := _lock(lock)) is None:
            if time.monotonic() > deadline:
                raise OutOfReach(
                    f"Another process has been writing {path.name} for {LOCK_SECONDS} s.",
                    suggestion="Wait for it, or end it, and run the same command again.",
                )
            time.sleep(0.01)
    except OSError as error:
        raise unwritable(path, error) from None
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(lock: Path) -> int | None:
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | _PLAIN, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever cleaned up since it was opened has removed the file: the next one to come would lock another.
        if os.path.samestat(os.fstat(descriptor), os.stat(lock)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise BadInput(f"{path} is not a file.", suggestion="Move it away: a record is a Markdown file.")
        with open(os.open(path, os.O_RDONLY | _PLAIN), "rb") as file:
            yield file
    except FileNotFoundError:
        raise Unknown(f"{path} is gone.", suggestion="See which debates there are: debate list") from None
    except OSError as error:
        raise OutOfReach(
            f"{path} cannot be read: {_reason(error)}.", suggestion="Check its permissions."
        ) from None


def write_end(path: Path, data: bytes, at: int) -> None:
    """Let `data` be all that follows position `at`, flushed. If it does not fit, nothing follows it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | _PLAIN, 0o666)
    try:
        os.ftruncate(descriptor, at)
        os.lseek(descriptor, at, os.SEEK_SET)
        try:
            _write(descriptor, data)
        except OSError:
            os.ftruncate(descriptor, at)  # a half-written turn must not stay
            raise
    finally:
        os.close(descriptor)


def replace(path: Path, data: bytes) -> None:
    """A new file or a new content, whole or not at all. Call it with the lock held: the draft has one name only,
    so that one which a crash left behind goes with the next."""
    draft = path.with_name(f".{path.name}.new")
    with suppress(FileNotFoundError):
        draft.unlink()
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN, 0o666)
        try:
            with suppress(FileNotFoundError):
                os.fchmod(descriptor, stat.S_IMODE(os.lstat(path).st_mode))
            _write(descriptor, data)
        finally:
            os.close(descriptor)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)  # the name, too
    finally:
        os.close(folder)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
    os.fsync(descriptor)


def unwritable(path: Path, error: OSError) -> OutOfReach:
    if error.errno in _FULL:
        advice = "Free some disk space and run the same command again."
    elif error.errno in _IN_THE_WAY:
        advice = f"Move away what is in the way of {path.name} and run the same command again."
    else:
        advice = "Make the folder writable for you and run the same command again."
    return OutOfReach(f"{path} cannot be written: {_reason(error)}. Nothing was added.", suggestion=advice)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
