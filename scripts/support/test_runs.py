#!/usr/bin/env python3
"""Compares the two runs of the tests by the events that the testing library wrote:

    support/test_runs.py left-out FIRST          the tests that the first run left out for their mark `.startsPrograms`,
                                                 as a regular expression for --filter
    support/test_runs.py compare FIRST SECOND    exits 1 for a test that was in neither run, or in both
"""
import json
import re
import sys

MARK = "FUNDMAIL_TEST_PROGRAMS"


class Run:
    """The tests of a run by their ids, each as long as it is needed for --filter."""

    def __init__(self, path):
        # Functions that the run knew, those that began, and suites and functions that it left out for their mark.
        self.functions, self.started, self.left_out = set(), set(), set()
        with open(path, encoding="utf-8") as file:
            for line in file:
                record = json.loads(line)
                payload = record["payload"]
                if record["kind"] == "test" and payload["kind"] == "function":
                    self.functions.add(payload["id"])
                elif payload.get("kind") == "testStarted":
                    self.started.add(payload["testID"])
                elif payload.get("kind") == "testSkipped" and MARK in str(payload["messages"]):
                    self.left_out.add(payload["testID"])

    def filter(self):
        suites = {test for test in self.left_out if test not in self.functions}
        # Whole suites, and functions of the others.
        names = {test for test in self.left_out if not any(test.startswith(suite + "/") for suite in suites)}
        return f"^({'|'.join(re.escape(name) for name in sorted(suites | names))})(/|$)"


def compare(first, second):
    expected, seen = first.left_out & first.functions, second.functions
    for test in sorted(expected - seen):
        print(f"in neither run: {test}")
    for test in sorted(first.started & second.started & first.functions):
        print(f"in both runs: {test}")
    for test in sorted(second.left_out):
        print(f"left out of the second run, too: {test}")
    one, two = len(first.started & first.functions), len(second.started & seen)
    skipped = len(first.functions) - one - two
    print(f"{len(first.functions)} tests: {one} start no program, {two} do, {skipped} cannot run here")
    return expected != seen or bool(second.left_out) or bool(first.started & second.started & first.functions)


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
