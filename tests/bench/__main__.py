"""Run the benchmarks, or those that are named: `./run bench [NAME ...]`."""

import sys
from importlib import import_module
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(wanted: list[str]) -> int:
    """Run benchmarks one after the other. Each module has `main()`, which prints its figures."""
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in wanted or NAMES:
        print(f"== {name}", flush=True)
        import_module(f"tests.bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
