"""The case `litmus` of serve: a WebDAV test suite against our server and rclone."""
import os
import re
import shutil
import subprocess

from harness import new_folder, say, table
from support.serve import Ours
from webservers import rclone

LITMUS_SUITES = ["basic", "copymove", "props", "locks", "http"]


def litmus(options, program):
    """How many of the suite's tests pass, ours and rclone's."""
    if not shutil.which("litmus"):
        say("SKIPPED: litmus, which is not installed")
        return []
    rows, failures = [["litmus", *LITMUS_SUITES, "warnings"]], {}
    ours = Ours(program, "litmus")
    peer_folder = new_folder("litmus")
    os.makedirs(peer_folder)
    peer = rclone(peer_folder)
    try:
        for server, words in ((ours, [ours.url("/dav/"), Ours.USER, ours.app_password()]),
                              (peer, [peer.url("/")] if peer else [])):
            if server is None:
                say("SKIPPED: rclone, which is not installed")
                continue
            counts, warnings, text = litmus_counts(words)
            rows.append([server.name, *(counts.get(suite, "none ran") for suite in LITMUS_SUITES), warnings])
            if server is ours:
                failures = {suite: counts.get(suite, "") for suite in LITMUS_SUITES}
                with open(os.path.join(ours.folder, "litmus.log"), "w") as file:
                    file.write(text)
    finally:
        ours.stop()
        if peer:
            peer.stop()
    table(rows)

    def passes(suites):
        return all(re.fullmatch(r"(\d+)/\1", failures[suite]) for suite in suites)
    shown = " ".join(f"{suite} {failures[suite] or 'none ran'}" for suite in LITMUS_SUITES)
    return [("litmus", shown, "least all of basic, copymove, http and locks",
             passes(["basic", "copymove", "http", "locks"])),
            ("litmus", shown, "goal all pass, none skipped", passes(LITMUS_SUITES))]


def litmus_counts(words):
    """`passed/run` (`, n skipped`) of each suite, and how often it warned."""
    folder = new_folder("litmus-log")
    os.makedirs(folder)  # it writes debug.log where it stands
    text = subprocess.run(["litmus", "-k", *words], cwd=folder, capture_output=True, text=True, timeout=600).stdout
    counts = {}
    for suite, ran, passed in re.findall(r"<- summary for `(\w+)': of (\d+) tests run: (\d+) passed", text):
        part = text.split(f"-> running `{suite}'")[1].split("<- summary")[0]
        skipped = len(re.findall(r"SKIPPED", part))
        counts[suite] = f"{passed}/{ran}" + (f", {skipped} skipped" if skipped else "")
    return counts, text.count("WARNING"), text
