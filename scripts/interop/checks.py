"""The checks that every mail server gets. A check takes the program and the server, and raises `Failed` with what was
seen when something is wrong."""
import hashlib
import time

from home import Home
from support.dovecot import PASSWORD
from server import Failed, message

COUNT = 10
IDLE_COUNT = 2000
IDLE_SECONDS = 20  # from delivery to the row; the slowest server looks at its folder every 5 s
LOGIN_SECONDS = 20
SCHEME_SECONDS = 10
PERMANENT = "a permanent refusal is neither `try again later` (75) nor success"
NAMES = ["with space", "Übersicht", "基金報告", "a&b", "deep%one", "100% \"q\""]


def expect(what, holds):
    if not holds:
        raise Failed(what)


def messages(count=COUNT, first=0):
    return [message(first + number) for number in range(count)]


def twice(home, filed=COUNT):
    """Polls twice: the first run files everything, the second fetches nothing."""
    done = home.poll()
    expect(f"first poll: {done}", done.exit == 0 and done.filed == filed)
    again = home.poll()
    if again.bodies and home.server.adds_fields:
        # The fields that the server added since the first poll change the sizes: fetched once more, and recognised.
        again = home.poll()
    expect(f"then: {again}", again.exit == 0 and not again.filed and again.bodies == 0)


def doctor(program, server):
    """`doctor` logs in and has no warning, for each kind of `after`."""
    scheme, user = ("imap", "move") if server.imap else ("pop3", "pop-keep")
    for after in ("{move: Doctored}", "delete", "keep") if server.imap else ("delete", "keep"):
        status, unusual, _ = Home(program, server, user, scheme, after=after).doctor()
        expect(f"after: {after}: exit {status}: {unusual}", status == 0 and not unusual.strip())


def login(program, server):
    """A wrong password is reported within seconds, with a status that does not say `try again later`."""
    scheme, user = ("imap", "move") if server.imap else ("pop3", "pop-keep")
    begin = time.monotonic()
    done = Home(program, server, user, scheme, password="wrong" + PASSWORD).poll()
    seconds = time.monotonic() - begin
    expect(f"{done} after {seconds:.0f} s", done.exit == 69 and seconds < LOGIN_SECONDS)


def keep(program, server):
    server.fill("keep", messages())
    twice(Home(program, server, "keep", after="keep"))
    left = server.left("keep")
    expect(f"{left} left", left == COUNT)


def flag(program, server):
    server.fill("flag", messages())
    twice(Home(program, server, "flag", after="flag"))
    left, flagged = server.left("flag"), server.left("flag", criterion="FLAGGED")
    expect(f"{left} left, {flagged} flagged", left == COUNT and flagged == COUNT)


def move(program, server):
    """Into a folder that does not exist yet and is named without the namespace (RFC 2342): it is made and
    subscribed."""
    server.fill("move", messages())
    twice(Home(program, server, "move", after="{move: Processed}"))
    left, moved = server.left("move"), server.left("move", server.folder("Processed"))
    subscribed = server.subscribed("move")
    expect(f"{left} left, {moved} moved", not left and moved == COUNT)
    expect(f"not subscribed: {subscribed}", "Processed" in subscribed)


def delete(program, server):
    server.fill("delete", messages())
    twice(Home(program, server, "delete", after="delete"))
    left = server.left("delete")
    expect(f"{left} left", not left)


def names(program, server):
    """Folders to poll and to move to, with blanks, umlauts, Chinese, and what modified UTF-7 and quoted strings
    escape."""
    failures = []
    for at, name in enumerate(NAMES):
        try:
            try:
                server.create("names", server.folder(name))
            except RuntimeError:
                continue  # the server refuses the name
            server.fill("names", messages(2, first=100 * at), server.folder(name))
            target = name + " é完成"
            home = Home(program, server, "names", folder=server.folder(name), after=f"{{move: '{target}'}}")
            twice(home, filed=2)
            moved = server.left("names", server.folder(target))
            expect(f"{moved} of 2 moved to {target}", moved == 2)
        except Failed as failure:
            failures.append(f"{name}: {failure}")
    expect("\n".join(failures), not failures)


def idle(program, server):
    """`watch` is told of new mail in a large mailbox by IDLE."""
    server.fill("idle", messages(IDLE_COUNT))
    home = Home(program, server, "idle", after="keep")
    watching = home.watch()
    try:
        home.filed_reaches(IDLE_COUNT, 240)
        time.sleep(3)
        expect("watch ended", watching.poll() is None)
        server.fill("idle", messages(1, first=IDLE_COUNT))
        home.filed_reaches(IDLE_COUNT + 1, IDLE_SECONDS)
    finally:
        watching.terminate()
        status = watching.wait(60)
    expect(f"watch ends with {status}", status == 0)


def quota(program, server):
    """A full quota refuses the copy, which is a permanent error."""
    count = server.fill_quota("quota")
    home = Home(program, server, "quota", after="{move: Processed}")
    done = home.poll()
    if done.exit == 0 and not server.left("quota"):
        # MOVE (RFC 6851) may need no further space.
        expect(f"moved: {done}", server.left("quota", server.folder("Processed")) == count)
        return
    expect(f"first poll: {done}", done.filed == count and done.errors)
    expect(f"{PERMANENT}: {done}", done.exit not in (0, 75))
    expect(f"does not say quota: {done}", "quota" in done.errors.lower())
    again = home.poll()
    expect(f"second poll: {again}", again.filed == 0 and again.bodies == 0)
    left = server.left("quota")
    expect(f"{left} of {count} left", left == count)


def rights(program, server):
    """A folder of another user, with the right to read only (RFC 4314): `doctor` says so before `poll` does."""
    folder = server.folder("Team")
    server.create("bob", folder)
    server.fill("bob", messages(3), folder)
    server.acl("bob", folder, "rights", "lr")
    home = Home(program, server, "rights", folder=server.shared, after="delete")
    _, unusual, whole = home.doctor()
    expect(f"doctor finds nothing:\n{whole}", unusual.strip())
    done = home.poll()
    expect(f"first poll: {done}", done.filed == 3 and done.errors and done.exit != 75)
    again = home.poll()
    expect(f"second poll: {again}", again.filed == 0 and again.bodies == 0)
    left = server.left("bob", folder)
    expect(f"{left} of 3 left", left == 3)


def namespace(program, server):
    """From a folder of another user to one's own, with all rights."""
    folder = server.folder("Desk")
    # The rights of RFC 4314, where the server knows them, else those of RFC 2086.
    has_rights = "RIGHTS" in str(server.session("bob").capabilities) or server.separator == "/"
    server.create("bob", folder)
    server.fill("bob", messages(3, first=50), folder)
    server.acl("bob", folder, "rights", "lrswipkxte" if has_rights else "lrswicd")
    twice(Home(program, server, "rights", folder=server.shared.replace("Team", "Desk"), after="{move: Mine}"), filed=3)
    moved = server.left("rights", server.folder("Mine"))
    expect(f"{moved} of 3 moved", moved == 3)


def oauth(program, server):
    """A token instead of a password (RFC 7628)."""
    server.fill("oauth", messages(3))
    token = f"oauth2: {{token_command: echo {server.token}}}"
    twice(Home(program, server, "oauth", after="delete", extra=token), filed=3)
    done = Home(program, server, "oauth", extra="oauth2: {token_command: echo old}").poll()
    expect(f"an old token: {done}", done.exit == 69)


def scheme(program, server):
    """A URL with the scheme of the other protocol: reported within seconds, with the right scheme."""
    for given, port, right in (("imap", server.pop3, "pop3"), ("pop3", server.imap, "imap")):
        begin = time.monotonic()
        done = Home(program, server, "keep", given, port=port).poll()
        seconds = time.monotonic() - begin
        expect(f"{given}:// on the port of {right}: {done} after {seconds:.0f} s",
               done.exit not in (0, 75) and seconds < SCHEME_SECONDS)
        expect(f"no hint at {right}: {done}", right in done.errors.replace(f"{given}://", "").lower())


def as_it_came(program, server, protocol, user):
    """Raw UTF-8 in the header, which a server may rewrite for clients without UTF8 support (RFC 6855 §3, RFC 6856
    §2)."""
    subject = "Bericht für März 報告"
    text = (f"From: Änn <ann@example.com>\r\nTo: funds@example.com\r\nSubject: [Fund1] {subject}\r\n"
            "Message-ID: <raw@interop>\r\nDate: Fri, 20 Nov 2026 10:00:00 +0000\r\n\r\nText.\r\n").encode()
    server.fill(user, [text])
    home = Home(program, server, user, protocol, after="keep")
    done = home.poll()
    subjects = [line["subject"] for line in done.messages if line["outcome"] == "filed"]
    expect(f"{done}: {done.messages}", subjects == ["[Fund1] " + subject])
    digest = hashlib.sha256(text).hexdigest()
    expect("other bytes than those that were sent", done.messages[0]["digest"] == digest or server.adds_fields)


def raw(program, server):
    as_it_came(program, server, "imap", "raw")


def pop_raw(program, server):
    as_it_came(program, server, "pop3", "pop-raw")


def unreadable(program, server):
    """The server cannot open its files for a while and sends placeholders instead: no message is lost."""
    server.fill("unreadable", messages(3))
    server.left("unreadable")
    server.hide("unreadable", True)
    home = Home(program, server, "unreadable", after="delete")
    during = home.poll()
    server.hide("unreadable", False)
    left = server.left("unreadable")
    expect(f"{during.filed} filed, {left} of 3 left: {during}", left == 3)
    after = home.poll()
    left = server.left("unreadable")
    expect(f"{after.filed} filed then, {left} left: {after}", after.filed == 3 or left == 3)


def pop_keep(program, server):
    server.fill("pop-keep", messages())
    twice(Home(program, server, "pop-keep", "pop3", after="keep"))
    left = server.pop_left("pop-keep")
    expect(f"{left} left", left == COUNT)


def pop_delete(program, server):
    server.fill("pop-delete", messages())
    twice(Home(program, server, "pop-delete", "pop3", after="delete"))
    left = server.pop_left("pop-delete")
    expect(f"{left} left", not left)


IMAP = [keep, flag, move, delete, names, raw]
POP3 = [pop_keep, pop_delete, pop_raw]


def checks_of(server):
    """The checks that apply to a server, by name."""
    found = [doctor, login]
    if server.imap:
        found += IMAP
        session = server.session("keep")
        if b"IDLE" in session.capability()[1][0]:
            found.append(idle)
        session.logout()
    if hasattr(server, "fill_quota"):
        found.append(quota)
    if hasattr(server, "shared"):
        found += [rights, namespace]
    if hasattr(server, "token"):
        found.append(oauth)
    if hasattr(server, "hide"):
        found.append(unreadable)
    if server.pop3:
        found += POP3
        if server.imap:
            found.append(scheme)
    return {check.__name__.replace("_", "-"): check for check in found}
