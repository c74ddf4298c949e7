"""Runs commands where nothing outside can be harmed, and tells which files each of them changed.

This file is imported by tests, and run as a program by `unshare`, as the first process of namespaces of its own:
no network, no other processes, no mounts but those made here. Every command gets a new file system: a read-only
view of the system's programs, empty /tmp and /run, and the repository and the home folder as the lower layer of an
overlay. What a command changed is then what it left in the upper layer, wherever that was, and the next command
starts from the untouched lower one without anything having been copied.
"""

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PROJECT, HOME = "home/sam/project", "home/sam"  # not below /tmp, where writing is allowed
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "etc", "opt")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
SCRATCH = ("tmp", "run", "dev", "proc")
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 32, 4096, 16384
MNT_DETACH, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, LAST_CAPABILITY = 2, 24, 38, 63
MEGABYTE = 1 << 20


class NoSandbox(Exception):
    """This machine gives none; the message says why."""


@dataclass(frozen=True)
class Outcome:
    code: int
    stderr: str
    timed_out: bool
    changed: list[str]  # paths from the root, each with what happened to it
    missing: list[str]  # programs that it needs and that are not there: it was not run


@dataclass(frozen=True)
class Run:
    command: str
    needs: Sequence[str] = ()
    seconds: float = 10


def run_sandboxed(repository: Path, runs: Sequence[Run], stage: Path) -> list[Outcome]:
    """Run each command by bash in a fresh copy of the repository. `stage` is an empty folder to mount things on."""
    if not shutil.which("unshare"):
        raise NoSandbox("no unshare here (util-linux, Linux only)")
    namespaces = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child"]
    if os.geteuid() != 0:
        namespaces += ["--user", "--map-root-user"]
    task = {
        "stage": str(stage),
        "repository": str(repository),
        "rg": shutil.which("rg"),  # the tests bring their own
        "runs": [[run.command, list(run.needs), run.seconds] for run in runs],
    }
    done = subprocess.run(
        ["unshare", *namespaces, sys.executable, "-I", __file__],
        input=json.dumps(task),
        capture_output=True,
        encoding="utf-8",
        env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"},
    )
    if done.returncode:
        raise NoSandbox(done.stderr.strip() or f"unshare ended with {done.returncode}")
    return [Outcome(**fields) for fields in json.loads(done.stdout)]


# From here on: inside.


def serve() -> None:
    task = json.load(sys.stdin)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # `kill 1` from inside does nothing to us as it is
    stage = Path(task["stage"])
    mount("tmpfs", stage, "tmpfs", 0, "size=512m,mode=755")
    base = make_base(stage / "base", Path(task["repository"]), task["rg"])
    outcomes = []
    for number, (command, needs, seconds) in enumerate(task["runs"]):
        folder = stage / str(number)
        root = make_root(folder, base)
        outcomes.append(run_one(command, needs, seconds, root, folder, base))
        for place in reversed(mounted_below(folder)):
            LIBC.umount2(os.fsencode(place), MNT_DETACH)
        shutil.rmtree(folder, ignore_errors=True)
    json.dump(outcomes, sys.stdout)


def make_base(base: Path, repository: Path, rg: str | None) -> Path:
    """The layer below every run: an empty home, the repository, and room to mount the rest on."""
    (base / HOME).mkdir(parents=True)
    shutil.copytree(repository, base / PROJECT, symlinks=True)  # keeps times: git's index stays fresh
    for name in SCRATCH:
        (base / name).mkdir()
    for name in SYSTEM:
        if os.path.islink(f"/{name}"):
            (base / name).symlink_to(os.readlink(f"/{name}"))
        elif os.path.isdir(f"/{name}"):
            (base / name).mkdir()
    for name in ("local/bin", "var/tmp"):
        (base / name).mkdir(parents=True)
    if rg:
        shutil.copy(rg, base / "local/bin/rg")
    return base


def make_root(folder: Path, base: Path) -> Path:
    upper, work, root = (folder / name for name in ("upper", "work", "root"))
    for path in (upper, work, root):
        path.mkdir(parents=True)
    attributes = ",userxattr" if is_mapped_user() else ""
    mount("overlay", root, "overlay", 0, f"lowerdir={base},upperdir={upper},workdir={work}{attributes}")
    for name in SYSTEM:
        if (base / name).is_dir() and not (base / name).is_symlink():
            mount(f"/{name}", root / name, None, MS_BIND | MS_REC)
            try:
                mount(None, root / name, None, MS_BIND | MS_REMOUNT | MS_RDONLY)
            except OSError:
                if not is_mapped_user():  # who is mapped has no right to write there anyway
                    raise
    # Were /dev like /tmp, the kernel would let nobody write to another's files in it: not even to /dev/null.
    for name, mode in {"tmp": 1777, "run": 755, "dev": 755}.items():
        mount("tmpfs", root / name, "tmpfs", MS_NOSUID, f"size=64m,mode={mode}")
    for name in DEVICES:
        (root / "dev" / name).touch()
        mount(f"/dev/{name}", root / "dev" / name, None, MS_BIND)
    (root / "dev/pts").mkdir()
    (root / "dev/shm").mkdir()
    mount("devpts", root / "dev/pts", "devpts", 0, "newinstance,ptmxmode=0666,mode=620")
    for name, target in {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}.items():
        (root / "dev" / name).symlink_to(f"/proc/self/fd{target}")
    (root / "dev/ptmx").symlink_to("pts/ptmx")
    mount("proc", root / "proc", "proc", MS_NOSUID | MS_NODEV)
    mount(str(root / "proc/sys"), root / "proc/sys", None, MS_BIND)
    mount(None, root / "proc/sys", None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)
    return root


def run_one(
    command: str, needs: list[str], seconds: float, root: Path, folder: Path, base: Path
) -> dict[str, object]:
    environment = {
        "HOME": f"/{HOME}",
        "USER": "sam",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/local/bin",
        "LANG": "C.UTF-8",
        "PWD": f"/{PROJECT}",
        "SHELL": "/bin/bash",
        "TERM": "xterm",
    }
    missing = [program for program in needs if not find_program(program, root, environment["PATH"])]
    if missing:
        return {"code": 0, "stderr": "", "timed_out": False, "changed": [], "missing": missing}

    def enter() -> None:
        os.chroot(root)
        os.chdir(f"/{PROJECT}")
        resource.setrlimit(resource.RLIMIT_FSIZE, (32 * MEGABYTE, 32 * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for capability in range(LAST_CAPABILITY):  # root in name only: no clock to set, nothing to mount
            LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
        LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)

    with (folder / "out").open("w+b") as out, (folder / "err").open("w+b") as err:
        process = subprocess.Popen(
            ["bash", "-c", command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            preexec_fn=enter,
            start_new_session=True,
        )
        timed_out = not ends_within(process.pid, seconds)
        code = -1 if timed_out else process.wait()
        if not timed_out:
            give_leftovers_time()
        kill_the_rest()
        err.seek(0)
        stderr = err.read(4000).decode("utf-8", "replace")
    changed = list(changes(folder / "upper", base))
    return {"code": code, "stderr": stderr, "timed_out": timed_out, "changed": changed, "missing": []}


def find_program(program: str, root: Path, path: str) -> bool:
    return any(os.path.lexists(f"{root}{folder}/{program}") for folder in path.split(":"))


def ends_within(pid: int, seconds: float) -> bool:
    """Told at once when it ends: Popen.wait() looks only every so often, which a thousand commands would feel."""
    descriptor = os.pidfd_open(pid)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


def give_leftovers_time() -> None:
    """What a command left running in the background may still be about to write."""
    deadline = time.monotonic() + 1
    while time.monotonic() < deadline and reap():
        time.sleep(0.02)


def kill_the_rest() -> None:
    while reap():
        try:
            os.kill(-1, signal.SIGKILL)  # as the first process here, that is everybody but us
        except ProcessLookupError:
            return
        time.sleep(0.002)


def reap() -> bool:
    """Whether any process is left, after burying the dead."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def changes(upper: Path, base: Path) -> Iterator[str]:
    """What the upper layer holds that differs from the lower: a file opened for writing is there even if the same."""
    for folder, folders, files in os.walk(upper):
        for name in sorted(folders + files):
            above = Path(folder, name)
            path = above.relative_to(upper)
            below = base / path
            now = above.lstat()
            if stat.S_ISCHR(now.st_mode) and now.st_rdev == 0:  # how an overlay says that it is gone
                if os.path.lexists(below):
                    yield f"{path}: deleted"
            elif not os.path.lexists(below):
                yield f"{path}: new"
            elif difference := compare(above, below, now, below.lstat()):
                if str(path) == f"{PROJECT}/.git/index" and staged(above, base) == staged(below, base):
                    continue  # git noted down times of files that it had looked at
                yield f"{path}: {difference}"


def compare(above: Path, below: Path, now: os.stat_result, before: os.stat_result) -> str:
    if now.st_mode != before.st_mode:
        return "other mode"
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        return "other owner"
    if above.is_symlink():
        return "" if os.readlink(above) == os.readlink(below) else "points elsewhere"
    if above.is_file() and above.read_bytes() != below.read_bytes():
        return "other content"
    # A lock that git takes and gives back changes the time of its folder and nothing else.
    same_time = now.st_mtime_ns == before.st_mtime_ns or above.name == ".git"
    return "" if same_time else "other time"


def staged(index: Path, base: Path) -> bytes:
    environment = {**os.environ, "GIT_INDEX_FILE": str(index), "GIT_DIR": str(base / PROJECT / ".git")}
    done = subprocess.run(["git", "ls-files", "-s", "-v"], env=environment, capture_output=True)
    return done.stdout if done.returncode == 0 else index.read_bytes()


def mounted_below(folder: Path) -> list[str]:
    places = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return [place for place in places if place.startswith(f"{folder}/")]


def is_mapped_user() -> bool:
    return Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]


def mount(source: str | None, target: Path, kind: str | None, flags: int, options: str = "") -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    if LIBC.mount(*words, ctypes.c_ulong(flags), options.encode() or None):
        problem = os.strerror(ctypes.get_errno())
        raise OSError(f"cannot mount {kind or source or 'again'} on {target}: {problem}")


LIBC = ctypes.CDLL(None, use_errno=True)

if __name__ == "__main__":
    serve()
