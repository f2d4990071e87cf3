"""A made-up office: two buttons instead of a name and a password."""
from cases import story
from demo import ANN, Demo, OFFICE


@story(sizes=("tablet", "phone"))
def demo(visit):
    page, shown = visit.page, Demo(visit.server.program)
    visit.afterwards(shown.stop)
    visit.server = shown
    visit.open("/")
    visit.expect("both logins are offered", page.locator(".demo form").count() == 2)
    visit.look("sign-in")

    shown.sign_in(visit, ANN)
    visit.open("/library")
    visit.expect("her funds are there", page.locator("main a:has-text('Oasis Infrastructure')").count() > 0)
    visit.expect("those of others are not", "Lumen Grid" not in page.inner_text("body"))
    visit.open("/library/sent")
    visit.expect("what waits is told", page.locator("main li:has-text('Covenant certificate')").count() > 0)
    visit.context.clear_cookies()

    shown.sign_in(visit, OFFICE)
    visit.open("/desk")
    visit.expect("it waits at the desk, too", page.locator("main li.row:has-text('Covenant certificate')").count() > 0)
