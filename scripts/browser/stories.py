#!/usr/bin/env python3
"""Tells stories of people on the pages to real browsers; see scripts/pages and engines.

    stories.py [WORD]…    only the cases (tablet-en, webkit) and stories (search) that a word names, or else is part of;
                          `all` tells all stories in all cases, instead of each size, language and way once

A story is a function in a file `story_….py` that is marked with `@story()`; see cases.py.
"""
import collections
import concurrent.futures
import contextlib
import glob
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import time
import traceback

from playwright.sync_api import Error, sync_playwright

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cases import CASES, STORIES  # noqa: E402
from office import add_office, fill_office  # noqa: E402
from support.samples import years_mail  # noqa: E402
from server import MailServer, Server  # noqa: E402
from visit import SHOTS, Visit  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# Each is a browser; the server has the rest of the machine.
AT_ONCE = 2
# Of one story.
MOST_TOLD = 8
# When more stories failed than these, no load of the machine is the cause, and none is told again.
MOST_AGAIN = 8

for file in sorted(glob.glob(os.path.join(HERE, "story_*.py"))):
    importlib.import_module(os.path.basename(file).removesuffix(".py"))


def prepare(server, cases):
    """For each case a person with two funds and some mail and one whose mail is misrouted, and the office."""
    def add(case):
        server.add_user(case.user, f"Ann {case.name}", "Fund1", "绿洲基金")
        # Whose mail is misrouted: what the desk files is not among what the stories of the library look at.
        server.add_user(case.sender, f"Sal {case.name}", "Fund1", "绿洲基金")
        for name in ("root", "bo"):
            server.add_user(f"{name}.{case.name}@office.example", name.title(), is_administrator=True)

    def fill(case):
        server.deliver(case.user, *(message for mails in years_mail(case.user).values() for message in mails))
        # What is offered at the desk: where their earlier mail is.
        server.deliver(case.sender, *years_mail(case.sender)["Fund1"])

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        office = pool.submit(add_office, server)
        list(pool.map(add, cases))
        office.result()
        server.start()
        office = pool.submit(fill_office, server)
        list(pool.map(fill, cases))
        office.result()


def adopt(server):
    global visited
    visited = server
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def problems(story, case, browser):
    """What is not as it should be when the story is told."""
    visit = Visit(browser, case, story.name, visited)
    try:
        story.tell(visit)
    except (Exception, SystemExit) as error:  # the story cannot go on; the next one can
        line = traceback.extract_tb(error.__traceback__)
        place = next((f"{one.filename.rsplit('/', 1)[-1]}:{one.lineno}" for one in line if "story_" in one.filename), "")
        visit.problems.append(f"{place} {type(error).__name__}: {str(error)[:800]} ({visit.page.url})")
        with contextlib.suppress(Error):  # a browser that answers nothing any more
            visit.picture(f"{story.name}-stopped")
    visit.close()
    return list(dict.fromkeys(visit.problems))[:MOST_TOLD]


def told_in(case, stories, words):
    """Those of the stories that a case tells. What its engine cannot tell is said, with the reason."""
    able = []
    for story in (story for story in stories if story.is_for(case)):
        why = case.engine.why_not(story)
        if why:
            print(f"not in {case.name}: {story.name}, which needs {why}", flush=True)
        elif words or all(usual is None or story.name in usual for usual in (case.engine.usual, case.usual)):
            able.append(story)
    return able


def told(story, case, browser, state):
    """Tells a story and reports it; gives whether all is as it should be.

    :param state: how the report calls a failure
    """
    began = time.monotonic()
    found = problems(story, case, browser)
    report = [f"{state if found else 'ok    '}  {case.name}: {story.name} ({time.monotonic() - began:.0f} s)"]
    print("\n".join(report + [f"          {problem}" for problem in found]), flush=True)
    return not found


def tell(number, names, state):
    """The stories of one case, one after the other; gives the names of those that failed. It runs in a process of its own."""
    case = CASES[number]
    with sync_playwright() as playwright:
        browser = case.engine.launch(playwright)
        failed = [story.name for story in STORIES if story.name in names and not told(story, case, browser, state)]
        browser.close()
    return failed


@contextlib.contextmanager
def serving(cases, errors):
    """A server for these cases and processes that tell its stories.

    :param errors: gets what the server tells as errors
    """
    mailbox = MailServer()
    server = Server(os.path.abspath(os.environ["FUNDMAIL_BINARY"]), mailbox)
    try:
        prepare(server, cases)
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(AT_ONCE, context, adopt, (server,)) as pool:
            yield pool
    finally:
        errors += server.stop()
        mailbox.stop()


def tell_again(failed, errors):
    """Each story that failed, alone and on a server of its own: not what it or another had left decides then, nor the
    machine's load. Gives those that fail again."""
    if len(failed) > MOST_AGAIN:
        return failed
    again = []
    for case, name in failed:
        with serving([case], errors) as pool:
            if pool.submit(tell, CASES.index(case), [name], "FAILED").result():
                again.append((case, name))
    return again


def chosen(things, words):
    """What the words name, else what they are part of."""
    return ([one for one in things if one.name in words]
            or [one for one in things if any(word in one.name for word in words)])


def stopped(*_):
    for child in multiprocessing.active_children():
        child.terminate()
    sys.exit(1)


def main():
    signal.signal(signal.SIGTERM, stopped)
    words = sys.argv[1:]
    usual = [case for case in CASES if case.is_usual or "all" in words]
    cases, stories = chosen(CASES, words) or usual, chosen(STORIES, words) or STORIES
    shutil.rmtree(SHOTS, ignore_errors=True)
    os.makedirs(SHOTS)
    began = time.monotonic()
    errors, failed, count, engines = [], [], 0, collections.Counter()
    with serving(cases, errors) as pool:
        print(f"the server is ready after {time.monotonic() - began:.0f} s", flush=True)
        names = {case: [story.name for story in told_in(case, stories, words)] for case in cases}
        work = {pool.submit(tell, CASES.index(case), names[case], "AGAIN "): case for case in cases if names[case]}
        for done in concurrent.futures.as_completed(work):
            case = work[done]
            failed += [(case, name) for name in done.result()]
            engines[case.engine.name] += len(names[case])
            count += len(names[case])
    failed = tell_again(failed, errors)
    for line in errors:
        print(f"FAILED  the server said: {line}")
    for case, name in failed:
        print(f"FAILED  {case.name}: {name}, see above")
    print(f"pictures are in {SHOTS}; {time.monotonic() - began:.0f} s")
    shares = ", ".join(f"{number} in {engine}" for engine, number in engines.items())
    print(f"stories: {count - len(failed)} passed, {len(failed) + len(errors)} failed ({shares})")
    return 1 if failed or errors or not count else 0


if __name__ == "__main__":
    sys.exit(main())
