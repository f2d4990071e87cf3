"""What is believed of senders behind Postfix with a milter: mail goes through it, and is polled with `require: dmarc` from an honest
account of liar.py."""
from checks import expect
from harness import run
from home import Home
from liar import Liar
from postfix import AUTHSERV_ID, PORTS

FORGED = f"Authentication-Results: {AUTHSERV_ID}; dmarc=pass header.from=example.com\r\n"
RELAYED = ("Received: from laptop (laptop.example.com [198.51.100.9])\r\n by mail.example.com with ESMTPSA id 4XYZ\r\n"
           " for <funds@corp.example>; Sat, 21 Nov 2026 09:00:00 +0000\r\n")
# Subject → From, what stands above it, the envelope's sender, whether it is genuine. All comes from the address that SPF names for
# example.com, so what decides is the domain of the envelope.
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


def deliver(server, milter):
    """Sends all mails through Postfix and gives what stands in the Maildir then, with the line ends of the network."""
    before = len(server.received(0))
    for subject, (sender, above, envelope, _) in MAILS.items():
        text = (f"{above}From: Ann <{sender}>\r\nTo: funds@corp.example\r\nSubject: [Fund1] {milter} {subject}\r\n"
                f"Message-ID: <{milter}.{subject.replace(' ', '.')}@example.com>\r\nDate: Sat, 21 Nov 2026 09:00:00 +0000\r\n\r\n{subject}\r\n")
        server.send("stranger", milter, text, envelope)
    texts = [text for text in server.received(before + len(MAILS)) if f"[Fund1] {milter} ".encode() in text]
    expect(f"{len(texts)} of {len(MAILS)} delivered", len(texts) == len(MAILS))
    return [text.replace(b"\n", b"\r\n") for text in texts]


def believed(program, box, milter, own_received):
    """The subjects that were filed, and the home."""
    home = Home(program, box, "honest", trust=f"{{authserv_id: {AUTHSERV_ID}, require: dmarc, own_received: {own_received}}}")
    done = home.poll()
    expect(f"poll: {done}", done.exit == 0 and len(done.messages) == len(MAILS))
    return {line["subject"].removeprefix(f"[Fund1] {milter} ") for line in done.messages if line["outcome"] == "filed"}, home


def of_milter(milter):
    def check(program, server):
        box = Liar()
        box.start()
        try:
            box.fill("honest", deliver(server, milter))
            genuine = {subject for subject, mail in MAILS.items() if mail[3]}
            fits, seen = [], []
            for own_received in (0, 1):
                filed, home = believed(program, box, milter, own_received)
                expect(f"own_received {own_received} believes forged mail: {sorted(filed - genuine)}", filed <= genuine)
                seen.append(f"own_received {own_received}: {sorted(filed)}")
                if filed == genuine:
                    fits.append(own_received)
                else:
                    _, unusual, whole = home.doctor()
                    expect(f"with own_received {own_received} mail is not believed, and doctor names no other:\n{whole}", "own_received" in unusual)
            expect(f"no own_received believes what is genuine: {seen}", fits)
        finally:
            box.stop()
    return check


def trust_checks(server):
    return {milter: of_milter(milter) for milter in PORTS}
