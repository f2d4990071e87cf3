"""What arrives while pages are open, in several tabs of one browser, and without the server for a while."""
import time

from cases import story
from engines import INTERCEPTION
from support.samples import mail, pdf
from support.serve import PASSWORD
from server import Server


@story(needs_scripts=True)
def shows_up(visit):
    """Without a reload, in all tabs, over one stream; what one had begun to select stays selected."""
    page, streams = visit.page, []
    visit.context.on("request", lambda request: streams.append(request.url) if "/library/events" in request.url else None)
    visit.sign_in()
    visit.open_fund()
    files = visit.fund
    tabs = [visit.follow(visit.context.new_page()) for _ in range(7)]
    for tab, path in zip(tabs, [files + "/mail", visit.server.address + "/library"] + [files + "/notes"] * 5):
        tab.goto(path)
    opened = len(streams)
    page.locator("ul.files input[type=checkbox]").first.check()
    subject = f"Shows up {time.time_ns()}"
    visit.server.deliver(visit.user, mail(visit.user, f"[Fund1] {subject}", "Here.\n", (f"{subject}.pdf", pdf())))
    visit.row(f"{subject}.pdf").wait_for()
    tabs[0].locator("li.row").filter(has_text=subject).wait_for()
    visit.expect("what was selected is", page.locator("ul.files input:checked").count() == 1)
    visit.expect("eight tabs listen over one stream", len(streams) == opened)
    visit.look("arrived")
    # The tab that listened is gone: another listens.
    page.close()
    visit.page = tabs[0]
    later = f"Later {time.time_ns()}"
    visit.server.deliver(visit.user, mail(visit.user, f"[Fund1] {later}", "There.\n"))
    visit.row(later).wait_for()
    visit.expect("one of them took over", len(streams) == opened + 1)


@story(needs_scripts=True, sizes=("tablet",), needs=(INTERCEPTION,))
def lost_and_found(visit):
    """The server does not know where the stream goes on, and is away for a while; then the session is."""
    usual, server = visit.server, Server(visit.server.program)
    try:
        server.add_user(visit.user, "Ann", "Fund1")
        server.start()
        visit.server = server
        visit.allowed.append(server.address)  # what is still on its way when the story is over
        visit.sign_in()
        asked = []

        def refuse_once(route):
            if "/library/funds/" not in route.request.frame.url:
                return route.continue_()
            asked.append(route.request.url)
            if len(asked) > 1:
                return route.continue_()
            # What changes meanwhile is only on the page that is loaded anew, and the stream goes on behind it.
            server.api(visit.user).upload("Fund1", "before.txt", b"before")
            route.fulfill(status=410)
        visit.page.route("**/library/events*", refuse_once)
        visit.open_fund()
        visit.row("before.txt").wait_for()
        visit.wait(lambda: len(asked) >= 2, "it is asked again")
        visit.expect(f"it goes on elsewhere: {asked}", len(set(asked)) == 2)
        server.api(visit.user).upload("Fund1", "later.txt", b"later")
        visit.row("later.txt").wait_for()
        server.end()
        visit.page.locator("#link[data-state=lost]").wait_for()
        visit.look("lost")
        server.start()
        server.api(visit.user).upload("Fund1", "meanwhile.txt", b"meanwhile")
        visit.row("meanwhile.txt").wait_for(timeout=60_000)
        # The page is there before the stream is.
        visit.until("!document.querySelector('#link p').textContent")
        other = visit.follow(visit.context.new_page())
        other.goto(server.address + "/library")
        visit.sign_out(other)
        other.wait_for_selector("#password")
        visit.page.locator("#link[data-state=out]").wait_for(timeout=60_000)
        visit.look("signed-out")
        # The way back to where one was.
        visit.press("#link a")
        visit.page.fill("#username", visit.user)
        visit.page.fill("#password", PASSWORD)
        visit.press("main form[action='/sign-in'] button")
        visit.expect("one is back", visit.page.url.startswith(visit.fund))
    finally:
        visit.server = usual
        visit.problems += [f"the server said: {line}" for line in server.stop()]


@story(needs_scripts=True, sizes=("tablet",))
def further_sections(visit):
    """What is renamed, moved or deleted elsewhere is so in the further sections of a long list, too."""
    page, api = visit.page, visit.server.api(visit.user)
    fund = f"Long {time.time_ns()}"
    api.call("POST", "/funds", {"name": fund})
    at = f"/funds/{api.fund(fund)}"
    files = [
        api.call("POST", f"{at}/files?name=file%20{1000 + index}.txt", b"%d" % index, "text/plain") for index in range(260)]
    folder = api.call("POST", f"{at}/folders", {"name": "Apart"})

    def names():
        # Not what is rendered of it: chunks that are out of sight are not.
        return [name for name in page.locator("ul[data-rows] > li bdi").all_text_contents() if name.startswith("file 1")]

    visit.sign_in()
    visit.open_fund(fund, "?sort=name")
    page.click("[data-paging] a[data-all]")
    visit.until("!document.querySelector('[data-paging]')")
    visit.expect(f"all rows are there: {len(names())}", len(names()) == 260)
    page.locator("li.row").filter(has_text="file 1200.txt").locator("input[type=checkbox]").check()

    def change(index, **fields):
        api.call("PATCH", f"/files/{files[index]['id']}", fields)

    # Where it stood, below, and above; from the first section into another one; and away.
    change(200, name="file 1200b.txt")
    visit.row("file 1200b.txt").wait_for()
    visit.expect("it is still chosen", visit.row("file 1200b.txt").locator("input:checked").count() == 1)
    change(150, name="file 1240b.txt")
    visit.row("file 1240b.txt").wait_for()
    change(250, name="file 1120b.txt")
    visit.row("file 1120b.txt").wait_for()
    change(20, name="file 1230b.txt")
    visit.row("file 1230b.txt").wait_for()
    change(240, name="file 1010b.txt")
    visit.row("file 1010b.txt").wait_for()
    change(180, folder=folder["id"])
    visit.row("file 1180.txt").wait_for(state="detached")
    api.call("DELETE", f"/files/{files[190]['id']}")
    visit.row("file 1190.txt").wait_for(state="detached")
    shown = names()
    wrong = [name for name, right in zip(shown, sorted(set(shown))) if name != right]
    visit.expect(f"all rows are there once, in their order: {len(shown)}, {wrong[:3]}", not wrong and len(shown) == 258)

    # Three at once push as many out of the first section, which keep their order.
    for number in range(3):
        api.upload(fund, f"above-{number}.txt", b"above %d" % number)
    visit.row("above-2.txt").wait_for()
    visit.expect("the others stay as they are", names() == shown)

    # The last rows of the first section, with no other section here.
    visit.open_fund(fund, "?sort=name")
    shown = names()
    last = {file["name"]: file["id"] for file in files if file["name"] in shown[-3:]}
    visit.expect(f"the last rows are there: {shown[-3:]}", len(last) == 3 and len(shown) < 150)
    api.call("PATCH", f"/files/{last[shown[-1]]}", {"folder": folder["id"]})
    visit.row(shown[-1]).wait_for(state="detached")
    api.call("DELETE", f"/files/{last[shown[-2]]}")
    visit.row(shown[-2]).wait_for(state="detached")
    # Another one takes its place, is pushed out of that section, changed, and then moved away.
    visit.until("document.querySelectorAll('ul[data-rows] > li').length === 100")
    edge = names()[-1]
    pushed = next(file["id"] for file in files if file["name"] == edge)
    api.upload(fund, "earlier.txt", b"earlier")
    visit.row("earlier.txt").wait_for()
    visit.expect("what was pushed out of it is still shown", names()[-1] == edge)
    renamed = edge.replace(".txt", "c.txt")
    api.call("PATCH", f"/files/{pushed}", {"name": renamed})
    visit.row(renamed).wait_for()
    api.call("PATCH", f"/files/{pushed}", {"folder": folder["id"]})
    visit.row(renamed).wait_for(state="detached")
    # Several are pushed out, and the last of them comes to the top: the others stay.
    visit.open_fund(fund, "?sort=name")
    shown = names()
    last = next(file["id"] for file in files if file["name"] == shown[-1])
    for number in range(3):
        api.upload(fund, f"before-{number}.txt", b"before %d" % number)
    visit.row("before-2.txt").wait_for()
    api.call("PATCH", f"/files/{last}", {"name": "aaa.txt"})
    visit.row("aaa.txt").wait_for()
    visit.expect("those between stay", names() == shown[:-1])


@story(needs_scripts=True, sizes=("tablet",))
def grows(visit):
    """A short list becomes one of several sections while it is looked at, and a list that was loaded whole gets more."""
    page, api = visit.page, visit.server.api(visit.user)
    fund = f"Growing {time.time_ns()}"
    api.call("POST", "/funds", {"name": fund})
    names = [f"n{index:03}.txt" for index in range(10)]

    def upload(*more):
        for name in more:
            api.upload(fund, name, name.encode())
        names.extend(more)

    def all_are_shown(what):
        visit.until(f"document.querySelectorAll('ul[data-rows] > li').length === {len(names)}")
        shown = page.locator("ul[data-rows] > li bdi").all_text_contents()
        visit.expect(f"{what}: {[pair for pair in zip(shown, sorted(names)) if pair[0] != pair[1]][:2]}", shown == sorted(names))

    for name in names:
        api.upload(fund, name, name.encode())
    visit.sign_in()
    visit.open_fund(fund, "?sort=name")
    # Seen only when all are there: as in a tab that was out of sight.
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    upload(*(f"b{index:03}.txt" for index in range(120)))
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    all_are_shown("what came is there, in its place")
    upload("zzz.txt")
    all_are_shown("and at the end")
    upload("n004b.txt")
    all_are_shown("and in a further section")

    # More than is looked for at once: the list begins anew, with a way to the rest.
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    upload(*(f"a{index:03}.txt" for index in range(520)))
    page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("[data-paging] a[data-all]").click()
    visit.until("!document.querySelector('[data-paging]')")
    all_are_shown("all of a long list")


@story(needs_scripts=True, sizes=("tablet",))
def signed_out_elsewhere(visit):
    """Who signs out at another tab is told so here, with the way back, and not that the line is lost."""
    visit.sign_in(is_another=True)
    visit.open_fund()
    visit.page.evaluate("""() => {
      window.states = [];
      const link = document.querySelector("#link");
      new MutationObserver(() => states.push(link.dataset.state)).observe(link, { attributes: true });
    }""")
    other = visit.follow(visit.context.new_page())
    other.goto(visit.server.address + "/library")
    other.click("form[action='/sign-out'] button")
    other.wait_for_selector("#password")
    visit.page.locator("#link[data-state=out] a").wait_for(timeout=60_000)
    visit.expect("the line is not called lost", "lost" not in visit.page.evaluate("states"))
    visit.look("told")
    visit.press("#link a")
    visit.page.fill("#username", visit.user)
    visit.page.fill("#password", PASSWORD)
    visit.press("main form[action='/sign-in'] button")
    visit.expect("one is back", visit.page.url.startswith(visit.fund))
