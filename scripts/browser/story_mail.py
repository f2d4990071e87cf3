"""Mail: it arrives while one looks, is read, and its files are taken."""
import time

from cases import story
from support.samples import MARKUP, mail, pdf


@story()
def yesterdays_mail(visit):
    """What somebody wants who has never seen this program: yesterday's mail, and its file."""
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    visit.press(".tabs a[href$='/mail']")
    visit.look("list")
    visit.press(visit.row("Capital call notice").locator("a.name"))
    page.wait_for_url("**open=m*")
    visit.look("mail")
    content = visit.download(lambda: page.click(".letter a.ib[download]"))
    visit.expect("its file is what was sent", content == pdf())
    content = visit.download(lambda: page.click(".detail a[href$='/original']"))
    visit.expect("and so is the mail", b"Subject: [Fund1] Capital call notice" in content)


@story()
def hostile_mail(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund(tab="/mail")
    visit.press(visit.row("onerror").first.locator("a.name"))
    page.wait_for_url("**open=m*")
    visit.expect("markup is text", page.locator("#opened").inner_text().endswith(MARKUP))
    visit.expect("no picture came of it", page.locator(".detail .letter img").count() == 0)
    visit.look("mail")


@story()
def arrives(visit):
    """While the list is open: with scripts its row shows by itself."""
    page = visit.page
    visit.sign_in()
    visit.open_fund(tab="/mail")
    subject = f"Rent paid {time.time_ns()}"
    visit.server.deliver(visit.user, mail(visit.user, f"[Fund1] {subject}", "Paid.\n", ("receipt.pdf", pdf("Receipt"))))
    if not visit.has_scripts:
        page.reload()
    visit.row(subject).wait_for()
    visit.look("row")
    visit.press(visit.row(subject).locator("a.name"))
    page.wait_for_url("**open=m*")
    content = visit.download(lambda: page.locator(".letter a.ib[download]").first.click())
    visit.expect("its file is there", content == pdf("Receipt"))
    # To the other fund and away.
    if visit.has_scripts:
        page.locator("[data-detail] a.more").click()
        visit.press("#rowmenu [data-for=more]")
    else:
        visit.press("[data-detail] a.more")
    visit.look("change")
    visit.press("form[action='/library/move'] button")
    page.locator(".tree li", has_text="绿洲基金").first.locator("input").check()
    visit.press(".acts button[value=move]")
    page.wait_for_selector(".done")
    visit.look("moved")
    visit.open_fund("绿洲基金", "/mail")
    visit.expect("it is in the other fund", visit.row(subject).count() == 1)
    page.check(f"li.row:has-text('{subject}') input[type=checkbox]")
    visit.act("form[data-list] button.danger")
    visit.look("deleted")
    visit.expect("it is gone", visit.row(subject).count() == 0)


@story()
def what_happened(visit):
    """Where a subject would lead, and what became of mail that was sent."""
    page = visit.page
    visit.server.mailbox.deliver(mail(visit.user, f"[Fnud1] for {visit.case.name}", "Where does this go?\n"))
    visit.sign_in("/library/sent")
    for subject, leads in (("[Fund1] Q3 report", "a.tag"), ("[Fnud1] Q3 report", ".steps"), (MARKUP, ".steps")):
        page.fill("#subject", subject)
        visit.press("main form[action='/library/sent'] button")
        page.wait_for_selector("section.panel")
        visit.expect(f"says where {subject} goes", page.locator(f"section.panel {leads}").count() > 0)
        visit.look("subject-" + ("filed" if leads == "a.tag" else "hostile" if subject == MARKUP else "held"))
    visit.open("/library/sent")
    visit.wait(lambda: visit.row("Fnud1").count() > 0, "what waits is named", page.reload)
    visit.look("list")


@story()
def i_meant(visit):
    """A typing error in a tag, put right by the sender: one step, and the mail is in the fund."""
    page, subject = visit.page, f"meant {visit.case.name}"
    visit.server.mailbox.deliver(mail(visit.user, f"[Fnd1] {subject}", "Where does this go?\n"))
    visit.sign_in("/library/sent")
    visit.wait(lambda: visit.row(subject).count() > 0, "it waits", page.reload)
    visit.look("waits")
    visit.press(visit.row(subject).locator("button[name=fund]").filter(has_text="Fund1"))
    visit.look("filed")
    visit.expect("it says so", page.locator(".done").count() == 1)
    row = visit.row(subject)
    visit.expect("it is filed", row.locator("a[href^='/library/emails/']").count() == 1 and row.locator("form").count() == 0)
