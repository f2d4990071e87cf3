"""Digests: what is new in one's funds and what waits at the desk, by mail, until one ends them."""
import email
import email.policy
import sqlite3
import tempfile
import urllib.request

from cases import story
from server import Server
from support.letters import Postbox
from support.processes import wait_until
from support.samples import mail, pdf

ELSEWHERE = "https://funds.corp.example"


def letter_to(taker, person):
    """The first letter to a person, once it came."""
    def found():
        return [one for one in map(read, taker.names()) if person in one["To"]]
    wait_until(found, f"no letter came to {person}")
    return found()[0]


def read(path):
    with open(path, "rb") as file:
        return email.message_from_binary_file(file, policy=email.policy.default)


def fill(server, owner):
    """Mail that is filed and mail that is kept while the server is not there, both of a minute ago: what comes within
    seconds waits for more. And for the digest of the desk another day begins."""
    server.end()
    with tempfile.TemporaryDirectory() as folder:
        for name, sender, subject in (("a", owner, "[Fund1] Q3 report"), ("b", "eve@evil.example", "Win <b>now</b>")):
            with open(f"{folder}/{name}.eml", "wb") as file:
                file.write(mail(sender, subject, "The figures.\n", ("q3.pdf", pdf())))
        server.run("replay", folder)
    with sqlite3.connect(server.database) as database:
        database.execute("UPDATE email SET received_at = received_at - 60")
        database.execute("UPDATE digest_progress SET period = 0 WHERE kind = 'desk'")
    database.close()
    server.start()


@story(sizes=("tablet", "phone"))
def news(visit):
    """Chosen on a page, received, and ended: by the link in a letter, and by one click in a mail program."""
    page, root = visit.page, "root@corp.example"
    folder = tempfile.TemporaryDirectory(prefix="fundmail-smtp-")
    taker = Postbox(f"{folder.name}/letters").start()
    server = Server(visit.server.program, settings=taker.configuration)
    with open(server.configuration) as file:
        lines = file.read().replace(f'public_url: "{server.address}"', f'public_url: "{ELSEWHERE}"')
    with open(server.configuration, "w") as file:
        file.write(lines)
    for act in (server.stop, taker.stop, folder.cleanup):
        visit.afterwards(act)
    server.add_user(visit.user, "Ann", "Fund1")
    server.add_user(root, "Root", is_administrator=True)
    server.run("user", "change", root, "--desk-digest", "on")
    server.start()
    visit.server = server

    visit.sign_in("/account")
    visit.expect("nothing is told unless one asks", page.locator("#news").input_value() == "off")
    visit.expect("the desk is not hers", page.locator("#desk").count() == 0)
    page.select_option("#news", "at_once")
    visit.press("form[action='/account/digests'] button")
    visit.expect("the choice is kept", page.locator("#news").input_value() == "at_once")
    visit.look("chosen")
    fill(server, visit.user)

    letter = letter_to(taker, visit.user)
    text = letter.get_content()
    is_chinese = visit.case.language == "zh"
    visit.expect("it is in the language of the page", ("您的基金有新内容" in letter["Subject"]) == is_chinese)
    visit.expect("it names what came", "Q3 report" in text and f"{ELSEWHERE}/library/emails/" in text)
    desk = letter_to(taker, root)
    visit.expect("a stranger's words stay at the desk", "/desk" in desk.get_content() and "Win" not in desk.get_content())

    ending = letter["List-Unsubscribe"].strip(" <>")
    visit.expect("a mail program ends it with one click", letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click")
    visit.expect("the text has the same address", ending in text)
    visit.sign_out()
    visit.open(ending.removeprefix(ELSEWHERE))
    visit.expect("it asks first", page.locator("main form button.primary").count() == 1)
    visit.look("ask")
    visit.press("main form button.primary")
    visit.expect("it is ended", page.locator("[role=status]").count() == 1)
    visit.look("ended")

    request = urllib.request.Request(
        desk["List-Unsubscribe"].strip(" <>").replace(ELSEWHERE, server.address), b"List-Unsubscribe=One-Click")
    visit.expect("and the other by one click", urllib.request.urlopen(request).status == 200)
    visit.sign_in("/account", user=root)
    visit.expect("so that is off, too", page.locator("#desk").input_value() == "off")
    visit.open(f"/office/people?q={visit.user}")
    visit.press("ul.rows a.name")
    visit.expect("and an administrator sees it", page.locator("#news").input_value() == "off")
    visit.press("form[action$='/addresses/answer'] button")
    visit.expect("an address is always answered", page.locator("form[action$='/answer'] button[value=off]").count() == 1)
    visit.look("person")
    visit.open("/office/audit?action=user.update")
    visit.look("audit")
    visit.open("/unsubscribe/nothing")
    visit.look("gone")
