"""How many planted faults in either engine the other one finds.

Every place of an engine's source where an operator, a number or a truth can be turned into another is a possible fault;
a sample of them is planted one by one in a copy, and the copy settles the same sessions. A fault is found where it says
anything else than the other engine, unharmed, or stops. The rest are printed: to be looked at, most say the same thing.
MUTANTS says how many, MUTANTS_IN in which engine (`first`, `second`).
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

FIRST = (
    "tables/rules/bet.py",
    "tables/rules/settlement.py",
    "tables/rules/paytable.py",
    "tables/rules/deal.py",
    "tables/rules/games/*.py",
)
SECOND = ("audit/second_engine/settling.py", "audit/second_engine/house_rules.py")
SESSIONS = 400
SAMPLE = int(os.environ.get("MUTANTS", "60"))
SECONDS = 180

_ROOT = Path(__file__).resolve().parent.parent.parent
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
}  # fmt: skip


def main() -> None:
    """Plant the sample in the first engine, then in the second, and print how many of how many are found."""
    wanted = os.environ.get("MUTANTS_IN", "first second").split()
    with tempfile.TemporaryDirectory() as temporary:
        corpus = Path(temporary) / "corpus.json"
        corpus.write_text(json.dumps(list(_corpus())), encoding="utf-8")
        for engine, patterns in (("first", FIRST), ("second", SECOND)):
            if engine not in wanted:
                continue
            files = sorted(path.relative_to(_ROOT) for pattern in patterns for path in _ROOT.glob(pattern))
            faults = [(file, number) for file in files for number in range(_faults(file))]
            planted = sorted(Random(1).sample(faults, min(SAMPLE, len(faults))))
            assert _tried(Path(temporary), engine, corpus, None) is None, "unharmed, the engines agree"
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(partial(_tried, Path(temporary), engine, corpus), planted))
            missed = [result for result in results if result is not None]
            other = "second" if engine == "first" else "first"
            print(
                f"{len(planted)} of {len(faults)} possible faults planted in the {engine} engine:"
                f" {len(planted) - len(missed)} found by the {other}",
                flush=True,
            )
            for each in missed:
                print(f"  not found: {each}", flush=True)


def _corpus() -> Iterator[dict[str, Any]]:
    """Yield sessions that both engines settle alike, and how."""
    from tests.audit.facts_of_log import printed
    from tests.audit.random_sessions import session

    for seed in range(SESSIONS):
        lines = session(Random(seed), deals=1)
        yield {"lines": lines, "settled": printed(lines)}


def _tried(temporary: Path, engine: str, corpus: Path, fault: tuple[Path, int] | None) -> str | None:
    """Settle the sessions with a copy of an engine, and return where its fault is if it was not found."""
    with tempfile.TemporaryDirectory(dir=temporary) as copy:
        for package in ("tables", "audit", "tests/audit", "tests/bench"):
            shutil.copytree(
                _ROOT / package, Path(copy) / package, ignore=shutil.ignore_patterns("__pycache__", "static", "fonts")
            )
        (Path(copy) / "tests/__init__.py").touch()
        said = ""
        if fault is not None:
            said, text = _planted(*fault)
            (Path(copy) / fault[0]).write_text(text, encoding="utf-8")
        run = [sys.executable, "-m", "tests.bench.mutants", engine, str(corpus)]
        environment = {**os.environ, "PYTHONPATH": copy, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                run, cwd=copy, env=environment, capture_output=True, timeout=SECONDS, check=False, text=True
            )
        except subprocess.TimeoutExpired:
            return None
        if fault is None:
            assert done.returncode == 0, done.stderr
            return None
        return None if done.returncode else said


def _settled(engine: str, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if engine == "second":
        from tests.audit.facts_of_log import printed

        return printed(lines)
    from tables import tablelog

    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    settled = [dict(line) if isinstance(line, dict) else {} for line in tablelog.settle(tablelog.lines(text))]
    for line in settled:
        line.pop("corrected", None)
    return settled[:-1] if settled and settled[-1].get("type") == "summary" else settled


def _faults(file: Path) -> int:
    """Count the faults that can be planted in a file."""
    planter = _Planter(-1)
    planter.visit(ast.parse((_ROOT / file).read_text(encoding="utf-8")))
    return planter.seen


def _planted(file: Path, number: int) -> tuple[str, str]:
    """Return what a fault is, and the file's text with it."""
    planter = _Planter(number)
    tree = planter.visit(ast.parse((_ROOT / file).read_text(encoding="utf-8")))
    return f"{file}:{planter.said}", ast.unparse(ast.fix_missing_locations(tree))


class _Planter(ast.NodeTransformer):
    """Turns one place of a module into another, the `wanted`th of those where it can."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.seen, self.said = wanted, 0, ""

    def _here(self, node: ast.expr, to: str) -> bool:
        self.seen += 1
        if self.seen - 1 != self.wanted:
            return False
        self.said = f"{node.lineno}: {ast.unparse(node)} -> {to}"
        return True

    def visit_Assert(self, node: ast.Assert) -> ast.AST:  # ast's name; what they say is no settlement
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        to = _COMPARED[type(node.ops[0])]
        if self._here(node, to.__name__):
            node.ops[0] = to()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        to = _COMPUTED.get(type(node.op))
        if to is not None and self._here(node, to.__name__):
            node.op = to()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        to = ast.Or if isinstance(node.op, ast.And) else ast.And
        if self._here(node, to.__name__):
            node.op = to()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.USub) and self._here(node, "without it"):
            return node.operand
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        to: bool | int
        if isinstance(node.value, bool):
            to = not node.value
        elif isinstance(node.value, int):
            to = node.value + 1
        else:
            return node
        return ast.copy_location(ast.Constant(to), node) if self._here(node, repr(to)) else node


def _child(engine: str, corpus: str) -> int:
    for each in json.loads(Path(corpus).read_text(encoding="utf-8")):
        if _settled(engine, each["lines"]) != each["settled"]:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(_child(*sys.argv[1:]))
