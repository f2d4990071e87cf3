#!/usr/bin/env python3
"""Compares the two runs of the tests by the events that the testing library wrote:

    support/test_runs.py left-out FIRST          the tests that the first run left out: an expression for --filter
    support/test_runs.py compare FIRST SECOND    exits 1 for a test that was in neither run, or in both

The first run leaves out the tests with the mark `.startsPrograms`, and those that cannot run on this machine. The
second tries the latter again: one that runs there has a condition that starts a program, and needs the mark.
"""
import json
import re
import sys

MARK = "FUNDMAIL_TEST_PROGRAMS"


class Run:
    """The tests of a run by their ids, each as long as it is needed for --filter."""

    def __init__(self, path):
        # Functions that the run knew, and those that began; suites and functions that it left out, and the marked ones.
        self.functions, self.started, self.left_out, self.marked = set(), set(), set(), set()
        with open(path, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                payload = record["payload"]
                if record["kind"] == "test" and payload["kind"] == "function":
                    self.functions.add(payload["id"])
                elif payload.get("kind") == "testStarted":
                    self.started.add(payload["testID"])
                elif payload.get("kind") == "testSkipped":
                    self.left_out.add(payload["testID"])
                    if MARK in str(payload["messages"]):
                        self.marked.add(payload["testID"])

    def filter(self):
        suites = {test for test in self.left_out if test not in self.functions}
        # Whole suites, and functions of the others.
        names = {test for test in self.left_out if not any(test.startswith(suite + "/") for suite in suites)}
        return f"^({'|'.join(re.escape(name) for name in sorted(suites | names))})(/|$)"


def compare(first, second):
    faults = {
        "in neither run": (first.left_out & first.functions) - second.functions,
        "in both runs": first.started & second.started & first.functions,
        "left out of the second run for its mark, too": second.marked,
        "its condition starts a program: mark it": (first.left_out - first.marked) & second.started,
    }
    for fault, tests in faults.items():
        for test in sorted(tests):
            print(f"{fault}: {test}")
    one, two = (len(run.started & run.functions) for run in (first, second))
    skipped = len(first.functions) - one - two
    print(f"{len(first.functions)} tests: {one} start no program, {two} do, {skipped} cannot run here")
    return any(faults.values())


def main():
    match sys.argv[1:]:
        case ["left-out", first]:
            print(Run(first).filter())
        case ["compare", first, second]:
            return compare(Run(first), Run(second))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
