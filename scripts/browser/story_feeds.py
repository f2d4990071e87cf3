"""News: items that are read, starred and kept, the feeds that bring them, and what administrators offer and forbid."""
import contextlib

from cases import story
from feeds import add_feed, rss, site
from server import elsewhere

MARKETS = [
    ("Central bank leaves its rate where it is", "<p>The bank said on <b>Thursday</b> that it waits.</p>"
     "<p><img src='https://pictures.example/a.png' alt='Chart'><a href='https://markets.example/0'>More</a></p>"),
    ("Oil falls below seventy", "<p>Supply is ample.</p>"),
    ("Quarterly figures of the ports <i>are</i> late", "<script>alert(1)</script><p>They come next week.</p>"),
]
CHINA = [("人民银行维持利率不变", "<p>央行周四表示，将继续观察。</p>"), ("港口吞吐量创新高", "<p>同比增长百分之五。</p>")]
LIST = """<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body><outline text="Abroad">
<outline type="rss" text="Harbour" xmlUrl="https://harbour.invalid/feed"/></outline>
<outline type="rss" text="No web" xmlUrl="gopher://old.invalid/feed"/></body></opml>"""
ROWS = "main .rows.news > li"
UNREAD = "main .rows.news > li.fresh"
# What is open has a star, and the server knows.
STARRED = """(star => star.getAttribute('aria-pressed') === 'true' && star.getAttribute('aria-busy') !== 'true')(
  document.querySelector('[data-detail] .bar .star'))"""


@contextlib.contextmanager
def with_news(visit, administrator=None):
    """A server on which the visitor has two feeds with five items, of which none is read, and one that fails."""
    def prepare(server):
        add_feed(server, visit.user, "Markets Daily", MARKETS, folder="Markets")
        add_feed(server, visit.user, "财经要闻", CHINA, folder="Markets")
        add_feed(server, visit.user, "Gone Weekly", [], problem="gone")
    with elsewhere(visit, administrator=administrator, prepare=prepare) as server:
        visit.server.sessions.clear()
        yield server


def count(visit):
    """The number of unread items in the sidebar, or on a phone under More."""
    place = "#everything" if visit.case.size == "phone" else "nav.side"
    return visit.page.evaluate(f"parseInt(document.querySelector(\"{place} a[href='/library/news'] .count\")?.textContent ?? '0')")


def wait_for_count(visit, number):
    place = "#everything" if visit.case.size == "phone" else "nav.side"
    shown = f"parseInt(document.querySelector(\"{place} a[href='/library/news'] .count\")?.textContent ?? '0')"
    visit.until(f"{shown} === {number}")


def open_item(visit, title):
    """Beside its list where there is room, else on a page of its own."""
    link = visit.page.locator(ROWS, has_text=title).locator("a.name")
    if visit.has_scripts and visit.case.has_panes:
        link.click()
        visit.page.wait_for_selector("[data-detail] iframe.mail")
    else:
        visit.press(link)


@story()
def reads_news(visit):
    """Five items are unread; one is opened, starred, and read; the pictures of another site are shown when asked for."""
    page = visit.page
    with with_news(visit):
        visit.sign_in("/library/news")
        visit.expect("all are listed", page.locator(ROWS).count() == 5 and page.locator(UNREAD).count() == 5)
        visit.expect("their number is in sight", count(visit) == 5)
        visit.expect("markup of titles is text", page.locator(f"{ROWS} i").count() == 0)
        visit.look("list")
        open_item(visit, "Central bank")
        words = page.frame_locator("iframe.mail").locator("body")
        visit.expect("what it says is in a frame", "that it waits" in words.inner_text())
        visit.expect("a picture is blocked and counted", page.locator(".mailbar form button").count() == 1)
        visit.look("opened")
        if visit.has_scripts:
            wait_for_count(visit, 4)
        else:
            visit.expect("it is read", count(visit) == 4)
        visit.allowed.append("https://pictures.example")
        visit.press(".mailbar form button")
        visit.expect("the picture is asked for once", page.locator(".mailbar form button").count() == 0)
        star = page.locator("[data-detail] .bar .star").first
        if visit.has_scripts:
            star.click()
            visit.until(STARRED)
            visit.expect("the list shows the star", not page.locator(ROWS).count()
                         or page.locator(f"{ROWS} .star[aria-pressed=true]").count() == 1)
        else:
            visit.press(star)
        visit.open("/library/news?state=starred")
        visit.expect("one is starred", page.locator(ROWS).count() == 1)
        visit.open("/library/news")
        page.fill("main [name=q]", "ample")
        with page.expect_navigation(wait_until="load"):
            page.press("main [name=q]", "Enter")
        visit.expect("a word of its text finds one", page.locator(ROWS).count() == 1)
        visit.open("/library/search?q=ample")
        visit.expect("the search over everything finds it", page.locator(".latestnews li a").count() == 1)
        visit.look("search")
        visit.press(".latestnews li a")
        visit.expect("it is opened in its list", page.locator("[data-detail]").count() > 0)
        visit.open("/library/search?q=ample&type=news")
        visit.expect("it is the only one of its kind", page.locator(ROWS).count() == 1)
        visit.look("search-news")
        visit.open("/library/news?state=unread")
        visit.expect("three are unread", page.locator(ROWS).count() == 3)
        visit.look("unread")
        visit.act(".filters form button")
        visit.expect("all are read", page.locator(ROWS).count() == 0)
        visit.look("nothing-unread")


@story(needs_scripts=True, sizes=("tablet", "desktop"))
def news_by_keys(visit):
    """g n leads there, j and k step, s stars, and what was read stays in the list of unread items until one leaves."""
    page = visit.page
    with with_news(visit):
        visit.sign_in("/library")
        page.keyboard.press("g")
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("n")
        visit.open("/library/news?state=unread")
        page.keyboard.press("j")
        page.keyboard.press("o")
        page.wait_for_selector("[data-detail]")
        first = page.locator("#opened").first.inner_text()
        wait_for_count(visit, 4)
        visit.expect("what is read stays where it is", page.locator(ROWS).count() == 5)
        visit.expect("without its mark", page.locator(f"{ROWS} .new").count() == 4)
        page.keyboard.press("j")
        visit.until(f"document.querySelector('#opened')?.innerText !== {first!r}")
        wait_for_count(visit, 3)
        page.keyboard.press("s")
        visit.until(STARRED)
        visit.look("stepping")
        page.evaluate("""() => document.querySelector('[data-detail] a[data-view][target=_blank]').addEventListener(
          'click', (event) => { event.preventDefault(); window.isOriginal = true; })""")
        page.keyboard.press("v")
        visit.until("window.isOriginal === true")
        page.keyboard.press("k")
        visit.until(f"document.querySelector('#opened')?.innerText === {first!r}")
        visit.open("/library/news?state=starred")
        visit.expect("the second is starred", page.locator(ROWS).count() == 1)


@story(needs_scripts=True, sizes=("tablet", "phone"))
def news_count_is_live(visit):
    """What is read at another device changes the number on this page without a load."""
    page = visit.page
    with with_news(visit) as server:
        visit.sign_in("/library/latest")
        visit.expect("the newest three are on Latest", page.locator(".latestnews li").count() == 3)
        visit.look("latest")
        page.evaluate("window.isStill = true")
        api = server.api(visit.user)
        item = api.call("GET", "/news?limit=1")["items"][0]["id"]
        api.call("PATCH", f"/news/items/{item}", {"is_read": True})
        wait_for_count(visit, 4)
        visit.is_still()


@story()
def keeps_news_in_a_fund(visit):
    """An item becomes a note, and a file, in one step each, and the way to it is beside what was done."""
    page = visit.page
    with with_news(visit):
        visit.sign_in("/library/news")
        open_item(visit, "Oil falls")
        visit.menu("news-keep")
        visit.look("menu")
        visit.act("#news-keep button[value=note]")
        way = page.locator(".done a[href^='/library/notes/']:visible")
        visit.expect("the way to the note is there", way.count() == 1)
        visit.press(way)
        text = page.input_value("textarea")
        visit.expect("it has its address", "https://markets-daily.example/1" in text and "Supply is ample" in text)
        visit.look("note")
        visit.open("/library/news")
        open_item(visit, "Oil falls")
        visit.menu("news-keep")
        visit.act("#news-keep button[value=file]")
        visit.open_fund()
        visit.expect("the file is in the fund", page.locator("li.row", has_text="Oil falls").count() == 1)


@story()
def chooses_feeds(visit):
    """A feed is added, named and put into a folder, and removed; a wrong address and one that fails are said in words."""
    page = visit.page
    with with_news(visit):
        visit.sign_in("/library/news/feeds")
        rows = page.locator("main .rows.feeds > li[data-key]")
        visit.expect("three are there", rows.count() == 3)
        visit.expect("one fails, in words", page.locator(".feeds .bad").count() == 1)
        visit.look("feeds")
        page.fill("#address", "ftp://nowhere")
        visit.press("form[action='/library/news/feeds'] button.primary")
        visit.expect("what is no address is said", page.locator("#address[aria-invalid]").count() == 1)
        visit.look("wrong")
        visit.press(page.locator("main .rows.feeds > li", has_text="Markets Daily").locator(".end a"))
        page.fill("#name", "My markets")
        page.fill("#folder", "Mine")
        visit.look("feed")
        visit.press("main form.panel button.primary")
        visit.expect("it has its name", rows.filter(has_text="My markets").count() == 1)
        visit.open("/library/news?folder=Mine")
        visit.expect("and its folder", page.locator(ROWS).count() == 3)
        visit.menu("news-feeds")
        visit.look("menu")
        visit.open("/library/news/feeds")
        with page.expect_download() as download:
            page.locator("a[href='/library/news/feeds.opml']").click()
        with open(download.value.path(), encoding="utf-8") as file:
            visit.expect("the list goes out", 'xmlUrl="https://markets-daily.example/feed"' in file.read())
        page.set_input_files("#file", [{"name": "list.opml", "mimeType": "text/x-opml", "buffer": LIST.encode()}])
        visit.press("form[enctype] button")
        visit.expect("one of another list comes in", rows.count() == 4 and rows.filter(has_text="Abroad").count() == 1)
        page.set_input_files("#file", [{"name": "list.txt", "mimeType": "text/plain", "buffer": b"Nothing"}])
        visit.press("form[enctype] button")
        visit.expect("what is no list is said", page.locator("#file[aria-invalid]").count() == 1)
        visit.press(rows.filter(has_text="Gone Weekly").locator(".end a"))
        visit.press("main button.danger")
        visit.expect("it is gone", rows.count() == 3)


@story(sizes=("tablet", "phone"))
def finds_feeds_of_a_page(visit):
    """A page names two feeds, of which one is chosen; its items come by themselves. A site without feeds is said."""
    page = visit.page
    documents = {}
    with site(documents) as address, elsewhere(visit):
        visit.server.sessions.clear()
        links = "".join(f'<link rel="alternate" type="application/rss+xml" title="{name}" href="/{name.lower()}.xml">'
                        for name in ("Markets", "Sport"))
        documents["/"] = ("text/html", f"<!doctype html><title>Daily</title>{links}<p>Hello")
        documents["/markets.xml"] = ("application/rss+xml", rss("Daily Markets", MARKETS[:2], address))
        documents["/sport.xml"] = ("application/rss+xml", rss("Daily Sport", MARKETS[1:2], address))
        documents["/bare"] = ("text/html", "<!doctype html><title>Bare</title><p>Hello")
        visit.sign_in("/library/news/feeds")
        page.fill("#address", f"{address}/bare")
        visit.press("form[action='/library/news/feeds'] button.primary")
        visit.expect("a page without feeds is said", page.locator("#address[aria-invalid]").count() == 1)
        page.fill("#address", f"{address}/")
        visit.press("form[action='/library/news/feeds'] button.primary")
        visit.expect("both are offered", page.locator(".found button").count() == 2)
        visit.look("found")
        visit.press(page.locator(".found button", has_text="Markets"))
        visit.expect("one is there", page.locator("main .rows.feeds > li").count() == 1)
        visit.open("/library/news")
        if visit.has_scripts:
            page.wait_for_selector(ROWS)
        else:
            visit.wait(lambda: page.locator(ROWS).count() > 0, "they are shown", page.reload)
        visit.expect("its items came", page.locator(ROWS).count() == 2)
        visit.look("came")


@story(sizes=("tablet", "phone"))
def news_of_a_fund(visit):
    """A fund has feeds of its own, and a tab for what they bring."""
    page = visit.page

    def prepare(server):
        add_feed(server, visit.user, "Fund News", MARKETS, fund="Fund1")
    with elsewhere(visit, prepare=prepare):
        visit.server.sessions.clear()
        visit.sign_in("/library")
        visit.open_fund(tab="/all")
        visit.press("nav.tabs a[href$='/news']")
        visit.expect("its items are there", page.locator(ROWS).count() == 3)
        visit.look("tab")
        visit.open("/library/news")
        visit.expect("and not among one's own", page.locator(ROWS).count() == 0)
        visit.look("empty")
        visit.open_fund(tab="/news/feeds")
        visit.expect("its feeds have a page", page.locator("main .rows.feeds > li").count() == 1)
        visit.look("feeds")


@story(sizes=("tablet", "phone"))
def offers_feeds(visit):
    """An administrator offers a feed and forbids a site; a person takes the feed."""
    page = visit.page
    root = "root.news@office.example"
    with with_news(visit, administrator=root):
        visit.sign_in("/office/news", user=root)
        page.fill("#address", "https://company.example/feed")
        page.fill("#name", "Company news")
        visit.press("form[action='/office/news/offered'] button.primary")
        visit.expect("it is offered", page.locator("main .rows > li", has_text="Company news").count() == 1)
        page.fill("#hosts", "bad.example\nworse.example")
        visit.press("form[action='/office/news/forbidden'] button")
        visit.look("office")
        visit.sign_out()
        visit.sign_in("/library/news/feeds")
        page.fill("#address", "https://www.bad.example/feed")
        visit.press("form[action='/library/news/feeds'] button.primary")
        visit.expect("a forbidden site is refused", page.locator("#address[aria-invalid]").count() == 1)
        offered = page.locator("main .rows.feeds > li", has_text="Company news")
        visit.look("offered")
        visit.press(offered.locator("button"))
        visit.expect("it is taken", page.locator("main .rows.feeds > li[data-key]", has_text="company").count() == 1)
