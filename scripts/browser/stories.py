#!/usr/bin/env python3
"""Tells stories of people on the pages to a real Chromium; see scripts/pages.

    stories.py [WORD]…    only the cases (tablet-en) and stories (search) that a word names, or else is part of;
                          `all` tells all stories in all cases, instead of each size, language and way once

A story is a function in a file `story_….py` that is marked with `@story()`; see cases.py.
"""
import concurrent.futures
import glob
import importlib
import multiprocessing
import os
import shutil
import signal
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cases import CASES, STORIES  # noqa: E402
from office import add_office, fill_office  # noqa: E402
from support.samples import years_mail  # noqa: E402
from server import MailServer, Server  # noqa: E402
from visit import CHROMIUM, SHOTS, Visit  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# Each is a browser; the server has the rest of the machine.
AT_ONCE = 2
# Of one story.
MOST_TOLD = 8

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
        visit.picture(f"{story.name}-stopped")
    visit.close()
    return list(dict.fromkeys(visit.problems))[:MOST_TOLD]


def tell(number, names):
    """The stories of one case, one after the other; gives whether each is as it should be. It runs in a process of its
    own. A story that fails is told once more, and both are reported: a machine with other load keeps a page waiting."""
    case, told = CASES[number], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        for story in (story for story in STORIES if story.name in names and story.is_for(case)):
            for state in ("AGAIN ", "FAILED"):
                began = time.monotonic()
                found = problems(story, case, browser)
                seconds = time.monotonic() - began
                report = [f"{state if found else 'ok    '}  {case.name}: {story.name} ({seconds:.0f} s)"]
                print("\n".join(report + [f"          {problem}" for problem in found]), flush=True)
                if not found:
                    break
            told.append(not found)
        browser.close()
    return told


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
    mailbox = MailServer()
    server = Server(os.path.abspath(os.environ["FUNDMAIL_BINARY"]), mailbox)
    told = []
    try:
        prepare(server, cases)
        print(f"the server is ready after {time.monotonic() - began:.0f} s", flush=True)
        names = [story.name for story in stories]
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(AT_ONCE, context, adopt, (server,)) as pool:
            work = [pool.submit(tell, CASES.index(case), names) for case in cases]
            for done in concurrent.futures.as_completed(work):
                told += done.result()
    finally:
        errors = server.stop()
        mailbox.stop()
    for line in errors:
        print(f"FAILED  the server said: {line}")
    print(f"pictures are in {SHOTS}; {time.monotonic() - began:.0f} s")
    failed = told.count(False) + len(errors)
    print(f"stories: {told.count(True)} passed, {failed} failed")
    return 1 if failed or not told else 0


if __name__ == "__main__":
    sys.exit(main())
