"""Signing in and out, sessions, passwords, and how the pages look."""
import base64
import plistlib

from cases import story
from engines import BACK_OUT, INTERCEPTION
from support.serve import PASSWORD

OTHER_PASSWORD = "another horse battery"


@story()
def signing_in(visit):
    page = visit.page
    visit.open("/library/trash")
    visit.look("first")
    page.fill("#username", visit.user)
    page.fill("#password", "wrong")
    visit.press("main button")
    visit.expect("it says that it did not work", page.locator(".failure").is_visible())
    visit.expect("the name is kept", page.input_value("#username") == visit.user)
    visit.look("wrong")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/library/trash")
    visit.look("signed-in")
    visit.sign_out()
    visit.expect("one is signed out", page.locator("#password").count() == 1)
    visit.look("signed-out")
    visit.open("/library")
    visit.expect("and stays signed out", page.locator("#password").count() == 1)


@story(needs=(BACK_OUT,))
def back_when_signed_out(visit):
    page = visit.page
    visit.sign_in("/library/trash", is_another=True)
    visit.sign_out()
    page.go_back()
    visit.expect("Back shows nothing of it", page.locator("#password").count() == 1)


@story(sizes=("tablet",), needs=(INTERCEPTION,))
def link_from_a_mail(visit):
    """A page of another site, as webmail is, links to one of ours: the cookie does not come with that request."""
    page, mailer = visit.page, "http://webmail.example/"
    visit.sign_in(is_another=True)
    visit.allowed.append(mailer)
    text = f"<title>Webmail</title><a href='{visit.server.address}/library/search'>what was filed</a>"
    page.route(f"{mailer}**", lambda route: route.fulfill(content_type="text/html", body=text))
    page.goto(mailer)
    visit.press("a")
    page.wait_for_url(visit.server.address + "/library/search*")
    page.wait_for_selector("#q")
    visit.expect("one is signed in, and where the link points", page.locator("#password").count() == 0)


@story()
def account(visit):
    page = visit.page
    visit.sign_in("/account")
    visit.look("start")
    page.fill("#label", "rclone")
    visit.press("form[action='/account/app-passwords'] button")
    password = page.locator("code.big").inner_text()
    visit.look("app-password")
    basic = base64.b64encode(f"{visit.user}:{password}".encode()).decode()
    found = page.request.fetch(
        visit.server.address + "/dav/", method="PROPFIND", headers={"Authorization": f"Basic {basic}", "Depth": "1"})
    visit.expect("a drive opens with it", found.status == 207)
    visit.open("/account")
    visit.expect("it is shown only once", password not in page.content())

    page.select_option("#theme", "dark")
    page.select_option("#language", "en" if visit.case.language == "zh" else "zh")
    visit.press("form[action='/account/look'] button")
    language = page.locator("html").get_attribute("lang")
    visit.expect("the other language", language.startswith("en" if visit.case.language == "zh" else "zh"))
    visit.expect("dark", page.locator("html").get_attribute("data-theme") == "dark")
    visit.look("other-language")


@story()
def profile_of_a_device(visit):
    """A device is set up by one file, which other programs read."""
    page = visit.page
    visit.sign_in("/account/devices")
    visit.press("#ipad a[href='/account/profiles']")
    visit.expect("the code leads another device here", page.locator(".qr").is_visible()
                 and page.locator("code.copy").first.inner_text() == page.url)
    visit.expect("it says that nothing signs it", page.locator("#unsigned").is_visible())
    visit.look("profiles")
    whole = plistlib.loads(visit.download(lambda: page.click("form[action*=profiles] button")))
    kinds = [one["PayloadType"].rsplit(".", 2)[-2:] for one in whole["PayloadContent"]]
    visit.expect("icon and contacts", kinds == [["webClip", "managed"], ["carddav", "account"]])
    visit.expect("of this person, without a password", whole["PayloadContent"][1]["CardDAVUsername"] == visit.user
                 and not any("password" in key.lower() for one in whole["PayloadContent"] for key in one))
    visit.expect("in their language", ("不含密码" in whole["PayloadDescription"]) == (visit.case.language == "zh"))
    page.click("#web_clip")
    lesser = plistlib.loads(visit.download(lambda: page.click("form[action*=profiles] button")))
    visit.expect("less of it, as the same profile", len(lesser["PayloadContent"]) == 1
                 and lesser["PayloadUUID"] == whole["PayloadUUID"])
    page.click("#contacts")
    visit.press("form[action*=profiles] button")
    visit.expect("nothing at all is a mistake", page.locator(".failure").is_visible())
    visit.look("nothing")


@story(sizes=("tablet", "phone"))
def own_password(visit):
    page = visit.page
    visit.sign_in("/account")
    other = visit.another()
    # Whatever comes of it, other stories need the password.
    visit.afterwards(lambda: visit.server.run("user", "passwd", visit.user, input=PASSWORD + "\n"))
    for (current, new, again), works in [
            (("wrong", OTHER_PASSWORD, OTHER_PASSWORD), False), ((PASSWORD, OTHER_PASSWORD, "something else"), False),
            ((PASSWORD, OTHER_PASSWORD, OTHER_PASSWORD), True)]:
        for field, value in (("current", current), ("new", new), ("again", again)):
            page.fill(f"#{field}", value)
        visit.press("form[action='/account/password'] button")
        visit.expect(f"works: {works}", page.locator(".failure").count() == (0 if works else 1))
        visit.look("changed" if works else "not-changed")
    other.open("/library")
    visit.expect("the other device is signed out", other.page.locator("#password").count() == 1)
    other.close()


@story(sizes=("tablet", "phone"))
def ended_elsewhere(visit):
    """The session ends while one reads: by another device, or because an administrator disables the user."""
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    other = visit.another()
    other.open("/account")
    other.press("form[action='/account/sessions/end'] button")
    other.close()
    visit.menu("new")
    page.fill("#folder-name", "Never made")
    visit.press("form[action$='/folders'] button")
    visit.expect("the form leads to signing in", page.locator("#password").count() == 1)
    visit.expect("which says that it was not saved", page.locator(".done").is_visible())
    visit.look("not-saved")
    page.fill("#username", visit.user)
    page.fill("#password", PASSWORD)
    visit.press("main button")
    page.wait_for_url("**/library/funds/**")
    visit.expect("no folder was made", visit.row("Never made").count() == 0)

    visit.afterwards(lambda: visit.server.run("user", "enable", visit.user))
    visit.server.run("user", "disable", visit.user)
    page.reload()
    visit.expect("who is disabled is out", page.locator("#password").count() == 1)
    page.fill("#username", visit.user)
    page.fill("#password", PASSWORD)
    visit.press("main button")
    visit.expect("and stays out", page.locator(".failure").is_visible())
    visit.look("disabled")
