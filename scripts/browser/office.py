"""A person whose funds are as nobody fills them by hand, for all cases: very many files, very long and strange names."""
import urllib.parse

from support.samples import LONG_NAME, LONG_SUBJECT, mail, MARKUP, OVERRIDE

OFFICE = "office@example.com"
MANY = 1000


def add_office(server):
    server.add_user(OFFICE, "Office " + OVERRIDE, "Many", "Long", "F" * 60 + " " + "基" * 20)


def fill_office(server):
    """A person whose funds have a thousand files, and names as long and strange as they may be."""
    statements = [(f"statement {number:04d}.txt", b"%d" % number) for number in range(MANY)]
    server.deliver(
        OFFICE, *(mail(OFFICE, f"[Many] part {part}", "All of them.\n", *statements[part::4]) for part in range(4)),
        mail(f"{'Jörg ' * 1000}<{OFFICE}>", f"[Long] {LONG_SUBJECT}", "word" * 5000 + "\n", ("n" * 5000 + ".txt", b"1")),
        mail(OFFICE, f"[Long] {MARKUP} {OVERRIDE}", OVERRIDE * 50 + "\n", (OVERRIDE, b"2"), (MARKUP + ".pdf", b"3")))
    api = server.api(OFFICE)
    for name in (LONG_NAME, "x" * 250 + ".txt"):
        api.upload("Long", urllib.parse.quote(name), b"4")
    api.call("POST", f"/funds/{api.fund('Long')}/folders", {"name": "folder" * 30})
