"""Links: what people without an account see of somebody's things, and what they give."""
import http.client
import time

from cases import story
from support.samples import pages_pdf, png

PASSWORD = "open sesame now"


def shared(visit, path):
    """A fund of the visitor's with a document and a large file; gives the number of what `path` names."""
    api = visit.server.api(visit.user)
    name = f"Shared {time.time_ns()}"
    api.call("POST", "/funds", {"name": name})
    document = api.upload(name, "report.pdf", pages_pdf(f"Page 1 {name}", "Page 2"), "application/pdf")
    picture = api.upload(name, "photo.png", png(900, 600), "image/png")
    folder = api.call("POST", f"/funds/{api.fund(name)}/folders", {"name": "Incoming"})
    return {"document": document["id"], "picture": picture["id"], "folder": folder["id"], "fund": name}[path]


def make(visit, items, **fields):
    """Makes a link by its form; gives its address."""
    page = visit.page
    visit.open(f"/library/links/new?items={items}")
    for name, value in fields.items():
        field = page.locator(f"[name={name}]")
        field.select_option(value) if name == "purpose" else field.fill(value)
    visit.press("main form[action='/library/links'] button.primary")
    return page.locator("#link-address").inner_text().replace(visit.server.address, "")


@story()
def link(visit):
    """A file by a link: made, opened by somebody without an account, downloaded, and ended while a download runs."""
    visit.sign_in()
    page, file = visit.page, shared(visit, "document")
    visit.open(f"/library/links/new?items=file-{file}")
    visit.look("new")
    address = make(visit, f"file-{file}", label="For the auditors")
    visit.expect("the link is made, and that is said", page.locator(".done").count() == 1)
    visit.look("made")
    other = visit.another_browser()
    other.open(address)
    other.expect("nothing is said of what it is", "report" not in other.page.content())
    other.look("door")
    other.press("main form button")
    other.expect("it is opened", "report.pdf" in other.page.locator("h1").inner_text().replace("\n", ""))
    other.until("[...document.images].length > 0 && document.images[0].complete && document.images[0].naturalWidth > 0")
    other.look("opened")
    content = other.download(lambda: other.page.click("a[download]"))
    other.expect("the file came", content.startswith(b"%PDF-"))
    # A download that runs, by the cookie of that browser.
    cookie = next(one for one in other.context.cookies() if one["name"].endswith("fundmail-link"))
    api = visit.server.api(visit.user)
    large = api.upload(api.call("GET", "/funds")["funds"][0]["name"], f"large-{time.time_ns()}.bin", bytes(48 << 20),
                       "application/octet-stream")
    running = make(visit, f"file-{large['id']}")
    third = visit.another_browser()
    third.open(running)
    third.press("main form button")
    cookie = next(one for one in third.context.cookies() if one["name"].endswith("fundmail-link"))
    connection = http.client.HTTPConnection("127.0.0.1", visit.server.port, timeout=30)
    connection.request("GET", f"{running}/files/{large['id']}/content",
                       headers={"Cookie": f"{cookie['name']}={cookie['value']}"})
    answer = connection.getresponse()
    visit.expect("it runs", answer.status == 200 and len(answer.read(65536)) == 65536)
    start = time.monotonic()
    visit.press("form[action$='/revoke'] button")
    visit.expect("that it ended is said", page.locator(".done").count() == 1)
    visit.look("ended")
    try:
        came = len(answer.read())
    except (http.client.IncompleteRead, ConnectionError) as error:
        came = len(getattr(error, "partial", b""))
    visit.expect("the download was cut off", came + 65536 < 48 << 20 and time.monotonic() - start < 10)
    third.page.reload()
    third.expect("there is nothing any more", third.page.locator("form").count() == 0)
    third.look("gone")
    visit.open("/library/links")
    visit.expect("the list has both", page.locator("ul.linkrows > li").count() >= 2)
    visit.look("list")
    other.close()
    third.close()


@story()
def link_with_password(visit):
    """A link that asks for a password, and is used up after one opening."""
    visit.sign_in()
    address = make(visit, f"folder-{shared(visit, 'folder')}", password=PASSWORD, openings="1", days="1")
    other = visit.another_browser()
    other.open(address)
    other.page.fill("#password", "wrong")
    other.press("main form button")
    other.expect("a wrong one is refused", other.page.locator(".problem").count() == 1)
    other.look("wrong")
    other.page.fill("#password", PASSWORD)
    other.press("main form button")
    other.expect("the right one opens", "Incoming" in other.page.locator("h1").inner_text())
    other.look("folder")
    late = visit.another_browser()
    late.open(address)
    late.expect("the next finds nothing", late.page.locator("form").count() == 0)
    other.close()
    late.close()


@story()
def marked_link(visit):
    """A link whose pictures carry the address of their viewer."""
    visit.sign_in()
    file = shared(visit, "picture")
    address = make(visit, f"file-{file}", purpose="marked")
    other = visit.another_browser()
    other.open(address)
    other.page.fill("#name", "eve@outside.example")
    other.press("main form button")
    other.until("[...document.images].length > 0 && document.images[0].complete && document.images[0].naturalWidth > 0")
    other.look("opened")
    other.expect("nothing can be downloaded", other.page.locator("a[download]").count() == 0)
    # Grey letters on a plain ground: pixels that differ from most.
    ink = other.page.evaluate("""() => {
      const picture = document.images[0], canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
      const context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height), counts = new Map();
      for (let at = 0; at < data.length; at += 4) counts.set(data[at] >> 4, (counts.get(data[at] >> 4) ?? 0) + 1);
      return 1 - Math.max(...counts.values()) / (data.length / 4);
    }""")
    other.expect(f"the address stands in the picture ({ink:.3f})", ink > 0.005)
    visit.press("main a[href='/library/links']")
    visit.press("ul.linkrows > li .name a")
    visit.expect("its owner sees who", "eve@outside.example" in visit.page.content())
    visit.look("seen")
    other.close()


@story()
def upload_link(visit):
    """Files that somebody without an account puts into a folder."""
    visit.sign_in()
    folder = shared(visit, "folder")
    address = make(visit, f"folder-{folder}", purpose="upload")
    other = visit.another_browser()
    other.open(address)
    other.look("door")
    other.page.fill("#name", "Eve of Outside")
    other.press("main form button")
    other.page.set_input_files("#file", [
        {"name": name, "mimeType": "text/plain", "buffer": b"figures"} for name in ("figures.txt", "figures.txt")])
    other.press("main form button")
    other.expect("what arrived is said", other.page.locator(".arrived li").count() == 2)
    other.look("put")
    visit.open(f"/library/items/folder/{folder}")
    visit.open("/library/links")
    visit.press("ul.linkrows > li .name a")
    visit.expect("its owner sees what came, and from whom",
                 visit.page.locator("li.row:has(.name a)", has_text="Eve of Outside").count() == 2)
    visit.look("received")
    other.close()
