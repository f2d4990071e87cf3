"""Which senders are trusted behind Postfix with a milter: mail goes through it, and is then polled with `require:
dmarc` from an account of faulty.py that has no fault."""
from checks import expect
from faulty import FaultyServer
from support.environment import run
from home import Home
from postfix import AUTHSERV_ID, PORTS

FORGED = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from=example.com\r\n"
FORGED_LOGIN = f"Authentication-Results: {AUTHSERV_ID}; auth=pass smtp.auth=bob\r\n"
RELAYED = ("Received: from laptop (laptop.example.com [198.51.100.9])\r\n by mail.example.com with ESMTPSA id 4XYZ\r\n"
           " for <funds@corp.example>; Sat, 21 Nov 2026 09:00:00 +0000\r\n")
# By subject: From, the fields above it, the envelope's sender, whether it is genuine. All of it comes from the address
# that SPF names for example.com, so the domain of the envelope decides.
MAILS = {
    "genuine": ("ann@example.com", "", "ann@example.com", True),
    "genuine and relayed": ("ann@example.com", RELAYED, "ann@example.com", True),
    "genuine with VERP": ("ann@example.com", "", "bounces+funds=corp.example@example.com", True),
    "forged": ("ann@example.com", "", "mallory@evil.example", False),
    "forged and relayed": ("ann@example.com", RELAYED, "mallory@evil.example", False),
    "forged with a field": ("ann@example.com", FORGED, "mallory@evil.example", False),
    "forged with a field and relayed": ("ann@example.com", RELAYED + FORGED, "mallory@evil.example", False),
    "forged with a field above a relay": ("ann@example.com", FORGED + RELAYED, "mallory@evil.example", False),
}
# Mail of colleagues, submitted from an address that no SPF record names, by subject: From, the fields above it, the
# login, whether it is genuine.
COLLEAGUES = {
    "colleague": ("bob@corp.example", "", "bob", True),
    "with the login of another": ("bob@corp.example", "", "mallory", False),
    "as somebody outside": ("ann@example.com", "", "bob", False),
    "without a login": ("bob@corp.example", "", None, False),
    "with a field instead": ("bob@corp.example", FORGED_LOGIN, None, False),
}


def deliver(server, prefix, mails):
    """Sends mail through Postfix (subject, client, From, fields above it, envelope, login) and gives what the Maildir
    holds then, with the line ends of the network."""
    before = len(server.received(0))
    for subject, client, sender, above, envelope, login in mails:
        text = (f"{above}From: <{sender}>\r\nTo: funds@corp.example\r\nSubject: [Fund1] {prefix} {subject}\r\n"
                f"Message-ID: <{prefix}.{subject.replace(' ', '.')}@example.com>\r\n"
                f"Date: Sat, 21 Nov 2026 09:00:00 +0000\r\n\r\n{subject}\r\n")
        server.send(client, prefix.split()[0], text, envelope, login)
    texts = [text for text in server.received(before + len(mails)) if f"[Fund1] {prefix} ".encode() in text]
    expect(f"{len(texts)} of {len(mails)} delivered", len(texts) == len(mails))
    return [text.replace(b"\n", b"\r\n") for text in texts]


def believed(program, box, prefix, trust):
    """The subjects that a poll with this trust policy files, and its folder."""
    home = Home(program, box, "faultless", trust=f"{{authserv_id: {AUTHSERV_ID}, require: dmarc, {trust}}}")
    run(home.words + ["user", "add", "bob@corp.example"])
    run(home.words + ["fund", "add", "Fund1", "--owner", "bob@corp.example"])
    done = home.poll()
    expect(f"poll: {done}", done.exit == 0 and len(done.messages) == box.left("faultless"))
    filed = (line["subject"] for line in done.messages if line["outcome"] == "filed")
    return {subject.removeprefix(f"[Fund1] {prefix} ") for subject in filed}, home


def of_milter(milter):
    def check(program, server):
        box = FaultyServer()
        box.start()
        try:
            mails = [(subject, "stranger", sender, above, envelope, None)
                     for subject, (sender, above, envelope, _) in MAILS.items()]
            box.fill("faultless", deliver(server, milter, mails))
            genuine = {subject for subject, mail in MAILS.items() if mail[3]}
            fits, seen = [], []
            for own_received in (0, 1):
                filed, home = believed(program, box, milter, f"own_received: {own_received}")
                expect(f"own_received {own_received} believes forged mail: {sorted(filed - genuine)}", filed <= genuine)
                seen.append(f"own_received {own_received}: {sorted(filed)}")
                if filed == genuine:
                    fits.append(own_received)
                else:
                    _, unusual, whole = home.doctor()
                    expect(f"not believed with own_received {own_received}, and doctor names no other:\n{whole}",
                           "own_received" in unusual)
            expect(f"no own_received believes what is genuine: {seen}", fits)
        finally:
            box.stop()
    return check


def colleagues(program, server):
    """A login at one's own server proves a sender when the configuration says so. Only rspamd writes logins down."""
    box, prefix = FaultyServer(), "rspamd colleagues"
    box.start()
    try:
        mails = [(subject, "colleague", sender, above, sender, login)
                 for subject, (sender, above, login, _) in COLLEAGUES.items()]
        box.fill("faultless", deliver(server, prefix, mails))
        filed, _ = believed(program, box, prefix, "own_received: 1")
        expect(f"believed without being asked to: {sorted(filed)}", not filed)
        filed, _ = believed(program, box, prefix, "own_received: 1, submission_domains: [corp.example]")
        expect(f"believed: {sorted(filed)}", filed == {subject for subject, mail in COLLEAGUES.items() if mail[3]})
    finally:
        box.stop()


def trust_checks(server):
    return {**{milter: of_milter(milter) for milter in PORTS}, "colleagues": colleagues}
