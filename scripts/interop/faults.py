"""The checks against faulty.py, one for each of its faults: no message is lost, none is filed twice, and none is
fetched again by every run."""
import hashlib
import time

from checks import expect, messages, PERMANENT, twice
from home import Home
from faulty_imap import REFUSALS
from server import message

LONG = 280  # lines of padding: 20 kB


def long_messages():
    return [message(number, padding=LONG) for number in range(3)]


def filed_once(runs, count=3):
    """Every message was filed, and none twice."""
    subjects = [line["subject"] for run in runs for line in run.messages if line["outcome"] == "filed"]
    expect(f"filed: {sorted(subjects)}; {'; '.join(map(str, runs))}", len(subjects) == len(set(subjects)) == count)


def short(program, server, user="short", scheme="imap"):
    """The server always sends less than it announces: what came is filed with a defect, or left; the server keeps its
    copy."""
    server.fill(user, long_messages())
    home = Home(program, server, user, scheme, after="delete")
    runs = [home.poll() for _ in range(3)]
    left = server.left(user)
    expect(f"{left} of 3 left on the server; {runs[0]}", left == 3)
    whole = [line for run in runs for line in run.messages if line["outcome"] == "filed" and not line["defects"]]
    expect(f"filed without a defect: {len(whole)}; {runs[0]}", not whole)
    expect(f"no warning: {runs[0]}", runs[0].errors or any(line["defects"] for line in runs[0].messages))
    expect(f"fetched again in each run: {', '.join(str(run.bodies) for run in runs)}", runs[2].bodies == 0)


def short_once(program, server, user="shortonce", scheme="imap"):
    """The first answer is too short, the next one is whole: the message is filed whole, and deleted."""
    server.fill(user, long_messages())
    home = Home(program, server, user, scheme, after="delete")
    runs = [home.poll() for _ in range(2)]
    filed_once(runs)
    whole = {hashlib.sha256(text).hexdigest() for text in long_messages()}
    filed = {line["digest"] for run in runs for line in run.messages if line["outcome"] == "filed"}
    expect(f"{len(whole - filed)} of 3 are not filed whole; {runs[0]}", filed == whole)
    left = server.left(user)
    expect(f"{left} left", not left)


def longer(program, server):
    """The server sends more than it announces: all of it is filed, and the server keeps its copy."""
    server.fill("longer", long_messages())
    home = Home(program, server, "longer", after="delete")
    runs = [home.poll() for _ in range(2)]
    filed_once(runs)
    left = server.left("longer")
    expect(f"{left} of 3 left; {runs[0]}", left == 3)


def placeholder(program, server, user="placeholder", scheme="imap"):
    """The server sends a placeholder until it has recovered: the messages are filed then, or are still there."""
    server.healed = False
    server.fill(user, long_messages())
    home = Home(program, server, user, scheme, after="delete")
    runs = [home.poll() for _ in range(2)]
    left = server.left(user)
    expect(f"{left} of 3 left on the server; {runs[0]}", left == 3)
    server.healed = True
    runs.append(home.poll())
    # The recovery changes nothing that IMAP shows: a UID that is known is not fetched again.
    left = server.left(user)
    filed = sum(run.filed for run in runs)
    expect(f"{filed} filed and {left} left: {3 - max(filed, left)} are lost", filed == 3 or left == 3)


def refusal(user):
    def check(program, server):
        server.fill(user, messages(3))
        home = Home(program, server, user, after="{move: Processed}")
        runs = [home.poll(), home.poll()]
        filed_once(runs)
        expect(f"{PERMANENT}: {runs[0]}", runs[0].exit != 0 and (runs[0].exit != 75 or user == "serverbug"))
        said = REFUSALS.get(user, "[OVERQUOTA] Quota exceeded").split("] ")[-1].rstrip(".")
        expect(f"does not tell what the server said: {runs[0]}", said in runs[0].errors)
        expect(f"fetched again: {runs[1]}", runs[1].bodies == 0)
        left = server.left(user)
        expect(f"{left} of 3 left", left == 3)
    return check


def lost(user, after):
    def check(program, server):
        server.fill(user, messages(3))
        home = Home(program, server, user, after=after)
        runs = [home.poll() for _ in range(3)]
        filed_once(runs)
        expect(f"last poll: {runs[2]}", runs[2].exit == 0)
        left, moved = server.left(user), server.left(user, "Processed")
        expect(f"{left} left, {moved} moved", not left and (moved == 3 or after == "delete"))
    return check


def stays(user, scheme="imap", says_so=True):
    """The server does not delete: each message is filed once, and each run reports the refusal, if the server sends
    one. Each run fetches the messages again and recognises them by their bytes: a UID alone is no proof for a
    deletion."""
    def check(program, server):
        server.fill(user, messages(3))
        home = Home(program, server, user, scheme, after="delete")
        runs = [home.poll() for _ in range(3)]
        filed_once(runs)
        expect(f"the refusal is not reported: {runs[2]}", not says_so or runs[2].errors and runs[2].exit not in (0, 75))
        left = len(server.account(user).boxes["INBOX"].messages)
        expect(f"{left} of 3 left", left == 3)
    return check


def inuse(program, server):
    """A temporary refusal (RFC 5530 §3): tried again in this run or the next, without being fetched again."""
    server.fill("inuse", messages(3))
    home = Home(program, server, "inuse", after="{move: Processed}")
    runs = [home.poll() for _ in range(2)]
    filed_once(runs)
    expect(f"no `try again later`: {runs[0]}", runs[0].exit in (0, 75))
    expect(f"then: {runs[1]}", runs[1].exit == 0 and runs[1].bodies == 0)
    left, moved = server.left("inuse"), server.left("inuse", "Processed")
    expect(f"{left} left, {moved} moved", left == 0 and moved == 3)


def unix_size(program, server):
    """The announced size counts a line end as one byte, as on disk: no message is lost, and only the first run
    warns."""
    server.fill("unixsize", long_messages())
    home = Home(program, server, "unixsize", after="delete")
    runs = [home.poll() for _ in range(3)]
    filed_once(runs)
    expect(f"fetched again in each run: {', '.join(str(run.bodies) for run in runs)}", runs[2].bodies == 0)
    expect(f"a warning in each run: {runs[2]}", not runs[2].errors)


def watch_refused(program, server):
    """`watch` when the server refuses to move: it still notices new mail, and fetches each message once."""
    user = "plainno"
    server.fill(user, messages(3, first=10))
    home = Home(program, server, user, after="{move: Elsewhere}")
    watching = home.watch()
    try:
        home.filed_reaches(server.left(user), 20)
        server.fill(user, messages(1, first=20))
        home.filed_reaches(server.left(user), 20)
        before = server.account(user).bodies
        time.sleep(5)
        expect("fetched again while nothing happens", server.account(user).bodies == before)
    finally:
        watching.terminate()
        watching.wait(60)


def pop_without_uidl(program, server):
    server.fill("popnouidl", messages(3))
    home = Home(program, server, "popnouidl", "pop3", after="delete")
    filed_once([home.poll(), home.poll()])
    expect(f"{server.left('popnouidl')} left", not server.left("popnouidl"))


def validity(program, server):
    """UIDVALIDITY changes at every SELECT: every run sees the same messages under new names."""
    server.fill("validity", messages(3))
    home = Home(program, server, "validity")
    filed_once([home.poll() for _ in range(3)])


def rev2(program, server):
    """IMAP4rev2 alone (RFC 9051): the extensions that it includes are not announced separately."""
    server.fill("rev2", messages(3))
    twice(Home(program, server, "rev2", after="{move: Processed}"), filed=3)
    expect(f"{server.left('rev2', 'Processed')} moved", server.left("rev2", "Processed") == 3)


def bare(program, server):
    """No UIDPLUS, no MOVE, no NAMESPACE."""
    server.fill("bare", messages(3))
    home = Home(program, server, "bare", after="{move: Processed}")
    filed_once([home.poll(), home.poll()])
    moved = server.left("bare", "Processed")
    expect(f"{moved} moved", moved == 3)


def pop_lost(program, server):
    """The answer to QUIT is lost: the server has deleted the messages, which were filed before."""
    server.fill("poplost", messages(3))
    home = Home(program, server, "poplost", "pop3", after="delete")
    runs = [home.poll() for _ in range(2)]
    filed_once(runs)
    expect(f"{server.left('poplost')} left", not server.left("poplost"))


FAULTS = {
    "short": short, "short-once": short_once, "longer": longer, "placeholder": placeholder,
    **{user: refusal(user) for user in REFUSALS}, "move-refused": refusal("movecode"),
    "lost-copy": lost("lostcopy", "{move: Processed}"), "lost-move": lost("lostmove", "{move: Processed}"),
    "lost-expunge": lost("lostexpunge", "delete"), "no-store": stays("nostore"), "no-expunge": stays("noexpunge"),
    "ignored-store": stays("ignoredstore", says_so=False), "in-use": inuse, "watch-refused": watch_refused,
    "unix-size": unix_size, "validity": validity, "rev2": rev2, "bare": bare,
    "pop-short": lambda program, server: short(program, server, "popshort", "pop3"),
    "pop-short-once": lambda program, server: short_once(program, server, "popshortonce", "pop3"),
    "pop-placeholder": lambda program, server: placeholder(program, server, "popplaceholder", "pop3"),
    "pop-lost": pop_lost, "pop-no-dele": stays("popnodele", "pop3"), "pop-no-uidl": pop_without_uidl,
}
