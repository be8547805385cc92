"""The rooms that `discover` and `solve` pass through, counted in a run: `PYTHONPATH=src python tools/house_walk.py`.

Prints JSON, for tools/house.py --trace. The top level is the code that calls the steps: modules at the top of the
package, `pipeline` and `result`. The walk is the sequence of functions (no methods, properties or comprehensions)
called by the top level, each pair of caller and callee once, in the order of their first call; what every room shares
(`core`, `errors`, and modules of this kind at the top) is left out. A room change is a step of the walk into another
room than the step before; a module at the top is a room. `turns` are alternating visits of surrogate and symmetry; the
other two numbers are the same with `inference`, which may use both, as part of the top level.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import liestonet

SHARED = {"core", "errors", "__init__"}
SHARED |= {"domain", "coordinate", "multiindex", "flags", "provenance", "processes", "pages"}  # before there was a core
EQUATION = "dx = (1 - x) dt + 0.5*sqrt(x) dW"
HOME = Path(liestonet.__file__).parent
Function = tuple[str, str]


def traced(run: Callable[[], Any]) -> list[tuple[Function, Function]]:
    """Caller and callee, as path and name, of every call of a function of the package."""
    calls: dict[tuple[Function, Function], None] = {}

    def of_package(frame: FrameType | None) -> FrameType | None:
        while frame is not None and not frame.f_code.co_filename.startswith(f"{HOME}/"):
            frame = frame.f_back
        return frame

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(f"{HOME}/"):
            return
        caller = of_package(frame.f_back)
        if caller is not None and "." not in frame.f_code.co_qualname and "<" not in frame.f_code.co_qualname:
            calls.setdefault((named(caller), named(frame)))

    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
    return list(calls)


def named(frame: FrameType) -> Function:
    return str(Path(frame.f_code.co_filename).relative_to(HOME)), frame.f_code.co_qualname


def room(function: Function) -> str:
    return Path(function[0]).parts[0].removesuffix(".py")


def walk(calls: list[tuple[Function, Function]], joined: set[str]) -> tuple[int, int]:
    """The number of room changes, and of alternations between surrogate and symmetry."""
    top = {room(function) for call in calls for function in call if "/" not in function[0]}
    floor = (top | joined) - SHARED
    steps = [room(callee) for caller, callee in calls if room(caller) in floor and room(callee) not in SHARED]
    visited = [name for name in steps if name not in floor]
    turns = sum({here, there} == {"surrogate", "symmetry"} for here, there in pairwise(visited))
    return 1 + sum(here != there for here, there in pairwise(steps)), turns


def counted(run: Callable[[], Any]) -> dict[str, int]:
    calls = traced(run)
    changes, turns = walk(calls, {"pipeline", "result"})
    wider, all_turns = walk(calls, {"pipeline", "result", "inference"})
    return {"changes": changes, "turns": turns, "with_inference": wider, "turns_with_inference": all_turns}


def main() -> None:
    sde = liestonet.SDE.parse(EQUATION)
    data = sde.simulate([1.0], 2.0, 0.01, 400, 1)
    found = {"discover": counted(lambda: liestonet.discover(data)), "solve": counted(lambda: liestonet.solve(sde))}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
