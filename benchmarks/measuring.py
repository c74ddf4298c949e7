"""Two things measured in turns, and their medians compared. Machines differ and other programs run, so nothing is
compared with a number of seconds; and a ratio above its limit is measured again, with more runs, before it counts."""

import statistics
from collections.abc import Callable, Iterable
from typing import NamedTuple

ATTEMPTS = 4

Measure = Callable[[], float]  # seconds


class Case(NamedTuple):
    name: str
    measured: Measure
    baseline_name: str
    baseline: Measure
    limit: float
    runs: int


def report(cases: Iterable[Case]) -> int:
    """Prints a table; 1 if a ratio is above its limit."""
    missed = 0
    print(f"{'':44}{'median':>10}   {'against':<29}{'median':>10}{'ratio':>8}{'limit':>8}")
    for case in cases:
        mine, other = medians(case)
        is_missed = mine > other * case.limit
        missed += is_missed
        print(
            f"{case.name:<44}{mine * 1000:>7.1f} ms   {case.baseline_name:<29}{other * 1000:>7.1f} ms"
            f"{mine / other:>8.2f}{case.limit:>8.2f}{'  too slow' if is_missed else ''}",
            flush=True,
        )
    return 1 if missed else 0


def medians(case: Case) -> tuple[float, float]:
    for attempt in range(ATTEMPTS):
        mine, other = [], []
        for _ in range(case.runs * 2**attempt):
            mine.append(case.measured())
            other.append(case.baseline())
        found = statistics.median(mine), statistics.median(other)
        if found[0] <= found[1] * case.limit:
            break
    return found
