"""News in a store: what fetches would have brought, as rows, and a site of this machine. No story asks the internet."""
import contextlib
import datetime
import email.utils
import hashlib
import sqlite3
import time

from support import web

# Seconds until a feed is fetched again: later than any story.
LATER = 7 * 86_400


def add_feed(server, user, title, items, folder="", fund=None, problem=None):
    """Puts a feed with items into a list, the first the latest, an hour apart; the server must not run.

    :param items: titles and HTML
    :param fund: the name of a fund of the user, whose list it is; None for their own
    :param problem: why it cannot be fetched, as the store has it
    """
    site, now = f"https://{title.lower().replace(' ', '-')}.example", int(time.time())
    with sqlite3.connect(server.database) as rows:
        owner = rows.execute("SELECT id FROM user WHERE email = ?", (user,)).fetchone()[0]
        place = rows.execute("SELECT id FROM fund WHERE name = ?", (fund,)).fetchone()[0] if fund else 0
        feed = rows.execute(
            "INSERT INTO news_feed (address, title, site, interval, next_at, fetched_at, succeeded_at, failures, problem)"
            " VALUES (?, ?, ?, 3600, ?, ?, ?, ?, ?)",
            (f"{site}/feed", title, site, now + LATER, now, None if problem else now, 5 if problem else 0, problem),
        ).lastrowid
        rows.execute("INSERT INTO news_subscription (user_id, fund_id, feed_id, folder) VALUES (?, ?, ?, ?)",
                     (owner, place, feed, folder))
        for number, (name, html) in enumerate(items):
            published = now - 3600 * (number + 1)
            item = rows.execute(
                "INSERT INTO news_item (feed_id, key, digest, title, link, author, excerpt, published_at, seen_at,"
                " enclosures, html) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)",
                (feed, f"{number}", hashlib.sha256(f"{title}{number}".encode()).digest(), name, f"{site}/{number}",
                 "Jo Reporter", "The first words of what it says.", published, now, html)).lastrowid
            rows.execute("INSERT INTO news_entry (user_id, item_id, feed_id, published_at) VALUES (?, ?, ?, ?)",
                         (owner, item, feed, published))
        rows.execute("INSERT INTO news_version (user_id, number)"
                     " VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM news_version))"
                     " ON CONFLICT (user_id) DO UPDATE SET number = excluded.number", (owner,))


# Of this machine: the one from which a debug build fetches feeds, at the ports of web servers alone.
SITE, PORTS = "127.73.0.1", (8080, 8443)


def rss(title, items, site):
    """A feed (RSS 2.0) of items (title, HTML), the latest first, an hour apart."""
    now = datetime.datetime.now(datetime.timezone.utc)
    entries = "".join(
        f"<item><title>{name}</title><link>{site}/{number}</link><guid>{site}/{number}</guid>"
        f"<pubDate>{email.utils.format_datetime(now - datetime.timedelta(hours=number + 1))}</pubDate>"
        f"<description><![CDATA[{html}]]></description></item>"
        for number, (name, html) in enumerate(items))
    return (f'<?xml version="1.0"?><rss version="2.0"><channel><title>{title}</title><link>{site}</link>'
            f"{entries}</channel></rss>")


@contextlib.contextmanager
def site(documents):
    """A web server with documents (type and text) by path; gives its address. One story at a time has it."""
    class Handler(web.Handler):
        def do_GET(self):
            kind, text = documents.get(self.path, (None, ""))
            self.answer(text.encode(), kind or "text/plain", 200 if kind else 404)

    server = None
    for port in PORTS * 60:
        with contextlib.suppress(OSError):
            server = web.start(Handler, SITE, port)
            break
        time.sleep(1)
    if not server:
        raise RuntimeError("the ports of the site are taken")
    try:
        yield f"http://{SITE}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
