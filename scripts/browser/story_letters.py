"""Letters that people write: a file from its list, an answer to a mail, and a recipient whom the server refuses."""
import contextlib
import tempfile

from cases import story
from server import Server
from support.letters import Postbox
from support.processes import wait_until
from support.samples import mail, pdf

TABLE = b"fund,called\r\nFund1,1000000\r\n"


@contextlib.contextmanager
def letters_taken(visit):
    """A server of this story alone, and a mail server that takes its letters; gives that one."""
    with tempfile.TemporaryDirectory(prefix="fundmail-smtp-") as folder:
        taker = Postbox(f"{folder}/letters").start()
        server = Server(visit.server.program, settings=taker.configuration)
        server.add_user(visit.user, "Ann Archer", "Fund1")
        with open(f"{folder}/1.eml", "wb") as file:
            # Ann sent it to a partner, too: an answer goes there, and not to herself.
            file.write(mail(visit.user, "[Fund1] Q3 report", "Here it is.\n", ("q3.pdf", pdf())).replace(
                b"To: funds@example.com", b"To: Funds <funds@corp.example>, Bob Becker <bob@partner.example>"))
        server.run("replay", f"{folder}/1.eml")
        server.start()
        ours, visit.server = visit.server, server
        visit.allowed.append(server.address)
        try:
            yield taker
        finally:
            visit.problems += [f"the server said: {line}" for line in server.stop()]
            visit.server = ours
            taker.stop()


def sent(visit, taker, count):
    """Sends the letter, and waits until the mail server has so many; gives the last one as programs read it."""
    visit.press("[data-send]")
    wait_until(lambda: taker.count >= count, f"no letter {count} came")
    return taker.messages()[-1]


def states(visit):
    """The marks of the recipients of the letter that is shown, once it is no longer on its way."""
    marks = visit.page.locator(".recipients .mark")

    def is_settled():
        visit.page.reload()
        return all("is-unknown" not in mark.get_attribute("class") for mark in marks.all())

    wait_until(is_settled, "it is still on its way")
    return [mark.get_attribute("class").split("is-")[1] for mark in marks.all()]


@story(sizes=("tablet", "phone"))
def sends_a_file(visit):
    """A file of a list goes to two people with its exact bytes; a wrong address is named, and nothing is lost by it."""
    page = visit.page
    with letters_taken(visit) as taker:
        visit.sign_in()
        visit.server.api(visit.user).upload("Fund1", "calls.csv", TABLE, "text/csv")
        visit.open_fund()
        if visit.has_scripts:
            visit.open_menu(visit.row("calls.csv").first)
            visit.look("menu")
            visit.press("#rowmenu [data-for=send]")
        else:
            visit.press(visit.row("calls.csv").first.locator("a.more"))
            visit.look("item")
            visit.press("main a[href*='/library/send']")
        visit.expect("the subject is there", page.input_value("#subject") == "calls.csv")
        page.fill("#to", "Bob Becker <bob@partner.example>, eve@")
        page.fill("#text", "Dear Bob,\n\nhere they are.")
        page.click(".attach > summary")
        visit.look("new")
        visit.press("[data-send]")
        visit.expect("the wrong part is named", "eve@" in page.locator("#to-problem").inner_text())
        visit.expect("the text is kept", page.input_value("#text").endswith("here they are."))
        visit.look("wrong")
        page.fill("#to", "Bob Becker <bob@partner.example>, eve@partner.example")
        letter = sent(visit, taker, 2)
        visit.expect("what was done is said", page.locator(".done a[href*='/library/letters/']").count() == 1)
        visit.look("done")
        files = [part for part in letter.iter_attachments()]
        visit.expect("the file is the one", [file.get_filename() for file in files] == ["calls.csv"])
        visit.expect("with its exact bytes", files[0].get_payload(decode=True) == TABLE)
        visit.expect("in Ann\u2019s name", letter["From"].addresses[0].display_name.startswith("Ann Archer"))
        visit.expect("answers go to Ann", letter["Reply-To"].addresses[0].addr_spec == visit.user)
        visit.expect("to both", sorted(taker.recipients()) == ["bob@partner.example", "eve@partner.example"])
        visit.press(".done a[href*='/library/letters/']")
        visit.expect("both are taken", states(visit) == ["ok", "ok"])
        visit.look("letter")
        visit.open_fund(tab="/mail")
        visit.press(".ways a[href*='/library/letters']")
        visit.look("letters")
        visit.open_fund()
        visit.press(visit.row("calls.csv").first.locator("a.name"))
        page.wait_for_url("**open=f*")
        page.click(".detail .info > summary")
        visit.expect("the file tells of it", page.locator(".drawer .strip .is-ok").count() == 1)
        visit.look("file")


@story(sizes=("tablet", "phone"))
def answers_a_mail(visit):
    """An answer quotes the mail, gets a file of the fund that is looked for, and belongs to the mail."""
    page = visit.page
    with letters_taken(visit) as taker:
        visit.sign_in()
        visit.server.api(visit.user).upload("Fund1", "calls.csv", TABLE, "text/csv")
        visit.open_fund(tab="/mail")
        visit.press(visit.row("Q3 report").first.locator("a.name"))
        page.wait_for_url("**open=m*")
        visit.press("[data-detail] a[data-do=reply]")
        visit.expect("the mail is quoted", "> Here it is." in page.input_value("#text"))
        visit.expect("not to the mailbox itself", page.input_value("#to") == "Bob Becker <bob@partner.example>")
        page.click(".attach > summary")
        page.fill("#find", "calls")
        if visit.has_scripts:
            page.click(".attach button")
            page.wait_for_selector("[data-items]:not([aria-busy])")
        else:
            visit.press(".attach button")
        page.locator(".offers li", has_text="calls").first.locator("input").check()
        visit.look("found")
        letter = sent(visit, taker, 1)
        visit.expect("it answers", letter["Subject"].startswith("Re: ") and letter["In-Reply-To"] is not None)
        visit.expect("with the file", [file.get_filename() for file in letter.iter_attachments()] == ["calls.csv"])
        visit.expect("the mail tells of it", page.locator(".letter .strip a").count() == 1)
        visit.look("mail")


@story(sizes=("phone",))
def a_refused_recipient(visit):
    """The server's refusal stands at the letter, which is sent again once the recipient is there."""
    page = visit.page
    with letters_taken(visit) as taker:
        taker.refuse("bob@partner.example")
        visit.sign_in("/library/send")
        page.fill("#to", "bob@partner.example")
        page.fill("#subject", "Figures")
        page.fill("#text", "The figures.")
        visit.press("[data-send]")
        visit.expect("nothing says that it was sent", page.locator(".mark.is-ok").count() == 0)
        visit.expect("it is refused", states(visit) == ["failure"])
        visit.expect("in the server's words", "User unknown" in page.locator(".reply").inner_text())
        visit.look("refused")
        visit.open("/library/latest")
        visit.expect("it is marked where one looks", page.locator(".dot.bad").count() > 0)
        visit.open("/library/letters?state=troubled")
        visit.look("troubled")
        visit.press("li.row a.name")
        taker.refuse()
        visit.press(".recipients form[action$='/again'] button")
        visit.expect("it is taken now", states(visit) == ["ok"])
        visit.expect("once", taker.recipients() == ["bob@partner.example"])
        visit.look("taken")
