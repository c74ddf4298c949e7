"""The guard's own way to JSON does what the package `json` does, to the letter and to the error."""

import json
import subprocess
import sys
from typing import Any

import pytest
from helpers import ROOT
from hypothesis import example, given
from hypothesis import strategies as st

from debate.guard import notation

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(SCALARS, lambda of: st.lists(of) | st.dictionaries(st.text(), of), max_leaves=20)
TEXTS = st.text() | st.text(st.sampled_from('[]{}",:\\u0ae1.-+ \t\r\nNIantruefls')) | VALUES.map(json.dumps)


@given(VALUES)
@example({"a": "\ud800\u2028是", "b": [1e300, -0.0, 10**40]})
def test_values_are_written_alike_and_come_back(value: Any) -> None:
    written = notation.dumps(value)
    assert written == json.dumps(value, ensure_ascii=False)
    assert notation.loads(written) == value
    assert notation.loads(written.encode("utf-8", "surrogatepass")) == value


@given(TEXTS | st.binary() | TEXTS.map(lambda text: text.encode("utf-16", "surrogatepass")))
@example("")
@example(" \n[1] \r\t")
@example("[1] 2")
@example('{"a": 1, "a": 2}')
@example("\ufeff[1]")
@example(b"\xef\xbb\xbf[1]")
@example("[NaN, Infinity, -Infinity]")
@example("[" * 100_000)
def test_whatever_is_read_is_read_alike(data: str | bytes) -> None:
    try:
        wanted = json.loads(data)
    except (ValueError, RecursionError) as error:
        with pytest.raises(type(error)):
            notation.loads(data)
    else:
        assert repr(notation.loads(data)) == repr(wanted)


# In a Python that has not imported the package, as the guard's has not.
BARE = """
import sys
sys.path.insert(0, sys.argv[1])
from debate.guard.notation import loads
whole = '{"a": [1, -2.5e3, "text", null, true], "b": {"c": ["x"]}}'
for cut in range(len(whole)):
    for module in [name for name in sys.modules if name.partition(".")[0] == "json"]:
        del sys.modules[module]
    try:
        loads(whole[:cut])
    except ValueError:
        continue
    sys.exit(f"{whole[:cut]} was read")
loads(whole)
"""


def test_what_was_cut_short_is_an_error_where_the_package_is_not_imported_either() -> None:
    command = [sys.executable, "-I", "-S", "-c", BARE, str(ROOT / "src")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("value", [object(), {1: 2, "a": {3}}, b"x"])
def test_what_is_no_json_is_not_written(value: Any) -> None:
    with pytest.raises(TypeError):
        notation.dumps(value)
