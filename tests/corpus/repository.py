"""The throw-away repository that every command of the corpus refers to.

Which files there are is settled: both corpora name them. One file carries an edit that is not committed, so that
commands which would lose it, or store it, can be seen to.
"""

from pathlib import Path

from repositories import Repository

COMMITTED = {
    "README.md": "# Sample\n\nA small app. See docs/guide.md.\n\nTODO: say how to install it\n",
    "src/app.py": (
        'import sys\n\nfrom util import total\n\n\ndef main() -> int:\n    print("total:", total(sys.argv[1:]))\n'
        '    return 0\n\n\nif __name__ == "__main__":\n    sys.exit(main())\n'
    ),
    "src/util.py": "def total(words):\n    # TODO: refuse what is no number\n    return sum(map(int, words))\n",
    "tests/test_app.py": "from src.util import total\n\n\ndef test_total():\n    assert total(['1', '2']) == 3\n",
    "package.json": (
        '{\n  "name": "sample",\n  "version": "1.0.0",\n  "scripts": {"build": "make", "test": "pytest"},\n'
        '  "dependencies": {}\n}\n'
    ),
    "Makefile": "all: build/out.txt\n\nbuild/out.txt: src/app.py\n\tmkdir -p build\n\tcp src/app.py build/out.txt\n\n"
    "clean:\n\trm -rf build\n\n.PHONY: all clean\n",
    "docs/guide.md": "# Guide\n\nRun `python src/app.py 1 2`.\n\n## Data\n\nItems are in data/items.csv.\n",
    "data/items.csv": "id,name,price\n1,apple,3\n2,pear,5\n3,plum,4\n2,pear,5\n",
    "data/items.json": '[{"id": 1, "name": "apple", "price": 3}, {"id": 2, "name": "pear", "price": 5}]\n',
    "scripts/run.sh": '#!/bin/sh\ncd "$(dirname "$0")/.." || exit\necho "ran" >> notes.txt\n',
    ".gitignore": "build/\nnode_modules/\n.venv/\n*.log\n",
}  # fmt: skip


def build(folder: Path) -> Repository:
    """Two commits on `main`, the first of them tagged; `feature` one ahead; something ignored, something untracked."""
    repo = Repository(folder)
    repo("config", "user.name", "Sam Sample")
    repo("config", "user.email", "sam@example.com")
    for path, content in COMMITTED.items():
        repo.write(path, content)
    (folder / "scripts/run.sh").chmod(0o755)
    repo.commit("Add the app")
    repo("tag", "v1.0")
    repo.write("docs/guide.md", COMMITTED["docs/guide.md"] + "\n## Questions\n\nAsk Sam.\n")
    repo.commit("Say whom to ask")
    repo.branch("feature")
    repo.write("src/app.py", COMMITTED["src/app.py"].replace("total:", "sum:"))
    repo.commit("Call it a sum")
    repo("checkout", "-q", "main")
    repo.write("src/util.py", COMMITTED["src/util.py"] + "\n\ndef count(words):\n    return len(words)\n")
    repo.write("build/out.txt", "built\n")
    repo.write("notes.txt", "remember the milk\n")
    return repo
