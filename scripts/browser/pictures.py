#!/usr/bin/env python3
"""Takes the pictures of README.md, and writes them below docs/pictures; see scripts/pages --pictures.

A week of an investment office that never was: a person with funds, mail that is filed as it arrives, and mail that
could not be filed.
"""
import json
import os
import sys

from playwright.sync_api import sync_playwright

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from cases import Case  # noqa: E402
from engines import CHROMIUM  # noqa: E402
from server import MailServer, Server  # noqa: E402
from support.processes import wait_until  # noqa: E402
from support.samples import DAY, docx, mail, pages_pdf, png  # noqa: E402
from visit import Visit  # noqa: E402

PICTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "pictures")
ANN, BEN, ROOT = "ann.archer@meridian.example", "ben.becker@meridian.example", "office@meridian.example"
HOUR = 3_600


def letter(title, *lines):
    """A PDF of a title, some lines and some text, and a second page."""
    lines += ("", *("We refer to the agreement of 4 May 2024, and to the notices that were given since.",
                    "All amounts are in millions of euros. Terms that are not explained here have",
                    "the meaning that the agreement gives them.") * 4)
    return pages_pdf(") Tj 0 -36 Td /F1 14 Tf (".join((title, "", *lines)), "Annex")


def filed():
    """What Ann has mailed within a week."""
    return [
        mail(ANN, "[Harbour Growth II] Capital call 7", "Dear Ann,\n\nplease find the notice attached; payment is due on 11 December.\n",
             ("Capital call 7.pdf", letter("Capital call notice no. 7", "Harbour Growth Fund II", "Due: 11 December 2026")), age=6 * DAY),
        mail(ANN, "[Harbour Growth II] Q3 report and valuations", "Report and figures, as announced.\n",
             ("Q3 2026 report.pdf", letter("Quarterly report", "Q3 2026", "Net asset value 148.2 m")),
             ("Valuations Q3.csv", b"Company,Cost,Value\nNorthwind Rail,12.5,18.1\nLumen Grid,9.0,11.4\nPier 9,6.2,5.8\n"), age=5 * DAY),
        mail(ANN, "[Harbour Growth II] Side letter, signed", "Signed by both sides.\n",
             ("Side letter.docx", docx("Side letter", "Between Harbour Growth Fund II and the investor.")), age=3 * DAY),
        mail(ANN, "[Harbour Growth II] Site visit Pier 9", "The roof, and what was agreed on it.\n",
             ("Pier 9 roof.png", png(640, 400)), ("Minutes.txt", "Attended: Ann Archer, Jörg Maier, 王芳\n".encode()), age=DAY),
        mail(ANN, "[Harbour Growth II] Distribution notice", "For your files.\n",
             ("Distribution notice.pdf", letter("Distribution notice", "Harbour Growth Fund II", "2.4 m on 30 November")), age=2 * HOUR),
        mail(ANN, "[Oasis Infrastructure] Data room index", "As of this morning.\n",
             ("Index.pdf", letter("Data room index", "Oasis Infrastructure")), age=4 * HOUR),
    ]


def kept():
    """What no rule can file."""
    return [
        mail(ANN, "[Harbor Growth II] Covenant certificate", "Certificate of the third quarter.\n",
             ("Covenant certificate.pdf", letter("Covenant certificate", "Third quarter 2026")), age=3 * HOUR),
        mail(ANN, "Minutes of the advisory board", "Minutes attached.\n",
             ("Advisory board.pdf", letter("Minutes", "Advisory board")), age=2 * HOUR),
        mail(BEN, "Term sheet Lumen Grid", "Fourth draft.\n", ("Term sheet v4.pdf", letter("Term sheet", "Lumen Grid")), age=5 * HOUR),
        mail("reports@administrator.example", "[Harbour Growth II] NAV statement", "The statement of October.\n",
             ("NAV October.pdf", letter("NAV statement", "October 2026")), age=HOUR),
    ]


def is_idle(status):
    """Whether no preview waits."""
    return not any(status["waiting"].values())


def show(visit, path, name, waits_for, size):
    """One picture of the window, not of the whole page."""
    visit.open(path)
    visit.page.wait_for_selector(waits_for)
    visit.page.set_viewport_size(size)
    visit.page.wait_for_timeout(500)  # thumbnails fade in
    visit.page.screenshot(path=os.path.join(PICTURES, name + ".png"))


def main():
    os.makedirs(PICTURES, exist_ok=True)
    mailbox = MailServer()
    server = Server(os.path.abspath(os.environ["FUNDMAIL_BINARY"]), mailbox)
    try:
        server.add_user(ANN, "Ann Archer", "Harbour Growth II", "Oasis Infrastructure", "Meridian Partners I")
        server.add_user(BEN, "Ben Becker", "Lumen Grid")
        server.add_user(ROOT, "Office", is_administrator=True)
        server.start()
        server.deliver(ANN, *filed())
        server.keep(ROOT, "", *kept())
        wait_until(lambda: is_idle(json.loads(server.run("preview", "status", "--json"))), "pictures are still made")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM)
            case = Case("tablet", "en")
            wide = {"width": 1024, "height": 768}
            ann = Visit(browser, case, "pictures", server)
            ann.sign_in(user=ANN)
            fund = f"/library/funds/{server.api(ANN).fund('Harbour Growth II')}"
            for scheme in ("light", "dark"):
                ann.page.emulate_media(color_scheme=scheme)
                show(ann, fund, f"fund-{scheme}", "li.row", wide)
            ann.page.emulate_media(color_scheme="light")
            show(ann, "/library/sent", "my-mail", "main", wide)
            root = Visit(browser, case, "pictures", server)
            root.sign_in("/desk", user=ROOT)
            root.page.set_viewport_size(wide)
            root.press("main li.row:has-text('Covenant certificate') a.name")
            show(root, root.path, "desk", "main", wide)
            browser.close()
    finally:
        server.stop()
        mailbox.stop()
    for name in sorted(os.listdir(PICTURES)):
        print(f"docs/pictures/{name}  {os.path.getsize(os.path.join(PICTURES, name)) // 1000} kB")


if __name__ == "__main__":
    main()
