"""Uploads with scripts: several at once, dropped ones, names that are taken, cancel, and what goes wrong."""
from cases import story
from engines import NO_LINE, SLOW_LINE
from server import elsewhere
from support.serve import PASSWORD
from story_files import choose, move_about

DROP = """(list) => {
  const transfer = new DataTransfer();
  for (const [name, text] of list) transfer.items.add(new File([text], name, { type: 'text/plain' }));
  const target = document.querySelector('main');
  for (const kind of ['dragenter', 'dragover', 'drop'])
    target.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@story(needs_scripts=True)
def uploads(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    choose(visit, *((f"part {number}.txt", b"%d" % number) for number in range(5)))
    for number in range(5):
        visit.row(f"part {number}.txt").wait_for()
    page.evaluate(DROP, [["dropped 1.txt", "1"], ["dropped 2.txt", "2"]])
    visit.row("dropped 2.txt").wait_for()
    visit.until("[...document.querySelectorAll('.tray li a')].filter((one) => one.textContent.includes('dropped')).length === 2")
    visit.expect("on a phone the tray is closed", page.evaluate("document.querySelector('.tray').open")
                 == (visit.case.size != "phone"))
    visit.look("dropped")
    # What came stays in the tray on the next page, and leads there.
    visit.open("/library/latest")
    page.wait_for_selector(".tray summary")
    visit.expect("closed, so that it is in no one's way", not page.evaluate("document.querySelector('.tray').open"))
    page.click(".tray summary")
    visit.look("tray-elsewhere")
    visit.press(".tray li a >> nth=0")
    visit.expect("the link leads to the file", "dropped" in page.locator("h1").all_inner_texts()[-1])
    page.click(".tray summary")
    page.click(".tray > button")
    visit.expect("it is closed for good", page.locator(".tray").count() == 0)
    visit.open("/library/latest")
    visit.expect("also on the next page", page.locator(".tray").count() == 0)


@story(needs_scripts=True)
def taken_names(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    choose(visit, *((f"taken {number}.txt", b"old") for number in range(3)))
    visit.row("taken 2.txt").wait_for()
    line = page.locator(".tray li")
    choose(visit, *((f"taken {number}.txt", b"new") for number in range(3)))
    line.filter(has_text="taken 2.txt").locator("button").nth(2).wait_for()
    visit.look("asks")
    line.filter(has_text="taken 0.txt").locator("button").nth(0).click()  # keep both
    line.filter(has_text="taken 1.txt").locator("button").nth(1).click()  # replace
    line.filter(has_text="taken 2.txt").locator("button").nth(2).click()  # skip
    visit.row("taken 0(1).txt").wait_for()
    expect_texts(visit, {"taken 0.txt": "old", "taken 0(1).txt": "new", "taken 1.txt": "new", "taken 2.txt": "old"})
    page.goto(visit.fund)
    choose(visit, *((f"taken {number}.txt", b"newest") for number in range(3)))
    line.filter(has_text="taken 2.txt").locator("button").nth(2).wait_for()
    line.first.locator("button").nth(1).click()  # replace all
    visit.until("document.querySelectorAll('.tray li a').length === 3")
    expect_texts(visit, {f"taken {number}.txt": "newest" for number in range(3)})


def expect_texts(visit, texts):
    for name, text in texts.items():
        visit.expect(f"{name} is the {text} one", content(visit, name).decode() == text)


def open_tray(visit):
    """On a phone it is closed until it is asked for."""
    visit.page.locator(".tray summary").wait_for()
    if not visit.page.evaluate("document.querySelector('.tray').open"):
        visit.page.click(".tray summary")


def content(visit, name):
    """The bytes of a file of the fund, which a list may show among the versions of another."""
    items = visit.server.api(visit.user).call("GET", f"/funds/{visit.fund.rsplit('/', 1)[1]}/items?limit=500")["items"]
    file = next(item for item in items if item["name"] == name)
    return visit.page.request.get(f"{visit.server.address}/library/files/{file['id']}/content").body()


def slow_line(visit, rate):
    """From now on the browser sends so many bytes a second. Gives what sets another rate; -1 is without a bound."""
    line = visit.context.new_cdp_session(visit.page)
    line.send("Network.enable")

    def set_rate(rate):
        line.send("Network.emulateNetworkConditions", {
            "offline": False, "latency": 20, "downloadThroughput": -1, "uploadThroughput": rate})

    set_rate(rate)
    return set_rate


@story(needs_scripts=True, sizes=("tablet", "phone"), needs=(SLOW_LINE,))
def cancelled(visit):
    """Over a slow line, so that there is something to be cancelled."""
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    set_rate = slow_line(visit, 200_000)
    uploads = []
    page.on("response", lambda response: uploads.append(response.headers.get("location")) if (
        response.request.method == "POST" and "/upload" in response.url) else None)
    choose(visit, ("large.bin", bytes(6_000_000)))
    visit.until("document.querySelector('.tray progress')?.value > 0.05")
    page.screenshot(path=f".build/pages/shots/{visit.case.name}-cancelled-under-way.png", full_page=True)
    open_tray(visit)
    page.click(".tray li button")
    visit.until("!document.querySelector('.tray progress')")
    visit.look("cancelled")
    set_rate(-1)
    page.goto(visit.fund)
    visit.expect("nothing of it is there", visit.row("large.bin").count() == 0)
    left = page.request.get(visit.server.address + uploads[0])
    visit.expect(f"nor what has come of it: {left.status}", left.status == 404)
    # Cancelled when all has come: then it is there, and that is said.
    page.evaluate("""() => setInterval(() => {
      if (document.querySelector('.tray progress')?.value === 1) document.querySelector('.tray li button')?.click();
    }, 1)""")
    choose(visit, ("late.bin", bytes(12_000_000)))
    # Not only until it is in the list, which the server's events bring before the upload has its answer.
    visit.until("!document.querySelector('.tray progress')")
    said = page.locator(".tray li span[role=status]")
    words = said.inner_text() if said.count() else ""
    is_cancelled = words in ("Not uploaded: cancelled.", "已取消，未上传。")
    if is_cancelled:
        page.goto(visit.fund)
    else:
        # The list has it by itself. No link leads there from the tray when the answer was given up.
        visit.row("late.bin").wait_for()
    is_there = visit.row("late.bin").count() == 1
    visit.expect(f"{words!r}, and there: {is_there}", is_there != is_cancelled)


@story(needs_scripts=True, sizes=("tablet", "phone"), needs=(SLOW_LINE,))
def cut_lines(visit):
    """What has come of a large file stays: when the server goes away, and when the page is loaded anew."""
    with elsewhere(visit) as server:
        send_with_cuts(visit, server)


def send_with_cuts(visit, server):
    page = visit.page
    offsets, large = [], bytes(range(256)) * 24_000
    page.on("request", lambda request: request.method == "PATCH" and offsets.append(
        int(request.headers["upload-offset"])))
    visit.sign_in()
    visit.open_fund()
    set_rate = slow_line(visit, 1_500_000)
    choose(visit, ("line.bin", large))
    visit.until("document.querySelector('.tray progress')?.value > 0.3")
    server.kill()
    visit.until("document.querySelector('.tray li span[role=status]')")
    visit.picture("cut_lines-waits")
    visit.expect("it can be cancelled", page.locator(".tray li button").count() == 1)
    server.start()
    visit.row("line.bin").wait_for()
    visit.expect(f"it went on where it was: {offsets}", offsets[0] == 0 and offsets[-1] > 0)
    path = f"{server.folder}/page.bin"
    with open(path, "wb") as file:
        file.write(large)
    page.set_input_files("#file", path)
    visit.until("document.querySelector('.tray progress')?.value > 0.3")
    before = len(offsets)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.set_input_files("#file", path)
    visit.row("page.bin").wait_for()
    visit.expect(f"the next page went on, too: {offsets}", offsets[before] > 0)
    set_rate(-1)
    for name in ("line.bin", "page.bin"):
        visit.expect(f"{name} is whole", content(visit, name) == large)


@story(needs_scripts=True, sizes=("tablet", "phone"), needs=(NO_LINE,))
def without_a_network(visit):
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    move_about(visit)
    visit.context.set_offline(True)
    choose(visit, ("later.txt", b"later"))
    visit.until("document.querySelector('.tray li') && !document.querySelector('.tray progress')")
    visit.look("not-uploaded")
    visit.context.set_offline(False)
    open_tray(visit)
    page.dblclick(".tray li button")  # try again
    visit.row("later.txt").wait_for()


@story(needs_scripts=True, sizes=("tablet", "phone"))
def signed_out_meanwhile(visit):
    """The session ends, and only the upload notices."""
    page = visit.page
    visit.sign_in()
    visit.open_fund()
    other = visit.another()
    other.open("/account")
    other.press("form[action='/account/sessions/end'] button")
    other.close()
    choose(visit, ("meanwhile.txt", b"later"))
    page.locator(".tray li span[role=status]").wait_for()
    visit.look("says-so")
    again = visit.context.new_page()
    again.goto(visit.server.address + "/sign-in")
    again.fill("#username", visit.user)
    again.fill("#password", PASSWORD)
    again.click("main button")
    again.wait_for_url("**/library/latest")
    again.close()
    open_tray(visit)
    page.click(".tray li button")  # try again
    visit.row("meanwhile.txt").wait_for()
