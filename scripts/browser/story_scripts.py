"""The parts of the pages' scripts that decide, parse and write, checked by tables; see checks."""
import os
import re
import urllib.parse

from cases import story
from support import web

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKS = os.path.join(HERE, "checks")
ASSETS = os.path.join(HERE, "..", "..", "Sources", "FundServer", "Pages", "Assets")


def read(folder, name):
    with open(os.path.join(folder, os.path.basename(name)), encoding="utf-8") as file:
        return file.read()


def opened(name, names):
    """A script of the pages as a module that exports names of one of its blocks, and of app.js, whose names all scripts
    use. The conditions of blocks go: nothing of this page is there."""
    source, app = read(ASSETS, name), read(ASSETS, "app.js")
    own = [one for one in names if f"\nconst {one} =" not in app]
    blocks = re.findall(r"^(?:if \([^\n]*\) )?\{\n(.*?)^\}", source, re.DOTALL | re.MULTILINE)
    block = next(block for block in blocks if all(f"const {one} =" in block for one in own))
    shared = re.findall(r"^const \w+ = \{\};$", source, re.MULTILINE)
    values = f"{{ {', '.join(own)} }}"
    others = ", ".join(one for one in names if one not in own)
    return "\n".join((app, *shared, f"export const {values} = (() => {{", block, f"return {values}; }})();",
                      f"export {{ {others} }};"))


class Handler(web.Handler):
    """`/checks/…` as it is, `/assets/…` as it is, `/opened/NAME?name,name` as `opened` makes it."""

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        folder, _, name = parts.path.strip("/").partition("/")
        if not name:  # a browser asks for an icon
            return self.answer(status=404)
        kind = "text/html" if name.endswith(".html") else "text/javascript"
        if folder == "opened":
            text = opened(name, parts.query.split(","))
        else:
            text = read({"checks": CHECKS, "assets": ASSETS}[folder], name)
        return self.answer(text.encode(), kind + "; charset=utf-8")


@story(needs_scripts=True, sizes=("tablet",))
def script_checks(visit):
    with web.served(Handler) as address:
        visit.allowed.append(address)
        visit.page.goto(address + "/checks/checks.html")
        visit.until("document.title !== 'checks'")
        visit.problems += visit.page.locator("li").all_inner_texts()
        count = int(visit.page.title())
        visit.expect(f"all of them ran: {count}", count > 50)
