"""Files that are tables, calendars, cards and mails, as what they are."""
import time

from cases import story
from story_previews import made

LAYOUT = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
# What a spreadsheet would run, and what a page would.
FORMULA, MARKUP = '=HYPERLINK("https://evil.example","click")', "<b onclick=alert(1)>x</b>"


def table(mark):
    funds = ["Harbour Growth IV", "Meridian 二号基金", "Northlight Infrastructure", "Quayside Credit", "Silverbirch Ventures"]
    rows = ["Fund,Currency,Committed,Called,NAV,NAV date,Comment"]
    for number in range(240):
        fund = funds[number % len(funds)]
        comment = ('"Capital call, due on the ""last"" business day of the quarter"' if number % 7 == 3 else "")
        rows.append(f'{fund},{("EUR", "USD", "CNY")[number % 3]},"{25_000_000 + number * 1_250:,}",'
                    f'"{11_250_000 + number * 975:,}",{1.0 + number / 97:.4f},2026-{number % 12 + 1:02}-28,{comment}')
    rows[2] = f'"{FORMULA.replace(chr(34), chr(34) * 2)}",{MARKUP},1,2,3,2026-01-01,{mark}'
    return "\r\n".join(rows).encode()


def calendar(mark):
    return f"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Example//EN
X-WR-CALNAME:Harbour Growth IV
BEGIN:VEVENT
UID:{mark}
SUMMARY:Investment committee: autumn review of the portfolio of
  Harbour Growth IV
DTSTART:20261125T090000Z
DTEND:20261125T103000Z
LOCATION:上海市浦东新区陆家嘴环路 1000 号\\, 21 楼
ORGANIZER;CN="Zhang, San":mailto:zhang.san@example.com
ATTENDEE;CN=Ann Miller;PARTSTAT=ACCEPTED:mailto:ann.miller@example.com
ATTENDEE;CN=Bea Okafor;PARTSTAT=TENTATIVE:mailto:bea.okafor@example.com
ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:trustee@example.org
RRULE:FREQ=MONTHLY;BYDAY=4WE
URL:https://meet.example.com/room/4711
DESCRIPTION:Agenda:\\n1. NAV as of 30 September\\n2. Capital call no. 7\\n3. {MARKUP}
END:VEVENT
BEGIN:VEVENT
UID:{mark}-2
SUMMARY:Annual meeting
DTSTART;VALUE=DATE:20261201
DTEND;VALUE=DATE:20261204
STATUS:TENTATIVE
LOCATION:Rotterdam
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n").encode()


def cards(mark):
    return f"""BEGIN:VCARD
VERSION:4.0
FN:Ann Miller
ORG:Harbour Capital Partners;Investor relations
TITLE:Partner
TEL;TYPE="voice,work";VALUE=uri:tel:+44-20-7946-0018
TEL;TYPE=cell:+44 7700 900318
EMAIL;TYPE=work:ann.miller@example.com
ADR;TYPE=work:;;1 Quay Street;London;;EC2A 4NE;United Kingdom
URL:https://harbour.example.com
NOTE:Prefers mail before 10:00\\, London time.
END:VCARD
BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E5=BC=A0;=E4=B8=89;;;
ORG;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E6=B8=AF=E6=B9=BE=E8=B5=84=E6=9C=AC
TEL;CELL:13800138000
X-MARK:{mark}
END:VCARD
""".replace("\n", "\r\n").encode()


def mail(mark):
    return f"""From: =?UTF-8?B?5byg5LiJ?= <zhang.san@example.com>
To: Ann Miller <ann.miller@example.com>, Bea Okafor <bea.okafor@example.com>
Cc: trustee@example.org
Subject: =?UTF-8?Q?Capital_call_no._7_=E2=80=93_Harbour_Growth_IV?=
Date: Wed, 25 Nov 2026 09:00:00 +0800
Message-ID: <{mark}@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit

Dear Ann,

please find attached the notice of capital call no. 7. The amount of EUR 1,250,000
is due on 10 December 2026.

附件为第七期缴款通知书。{MARKUP}

Zhang San
--b
Content-Type: application/pdf; name="notice-7.pdf"
Content-Disposition: attachment; filename="notice-7.pdf"
Content-Transfer-Encoding: base64

JVBERi0xLjQK
--b--
""".replace("\n", "\r\n").encode()


def opened(visit):
    """A fund with a file of each kind; gives its name, or None where there are no previews."""
    visit.sign_in()
    api, mark = visit.server.api(visit.user), str(time.time_ns())
    name = f"Kinds {mark}"
    api.call("POST", "/funds", {"name": name})
    api.upload(name, "positions.csv", table(mark), "text/csv")
    api.upload(name, "committee.ics", calendar(mark), "text/calendar")
    api.upload(name, "people.vcf", cards(mark), "text/vcard")
    api.upload(name, "call-7.eml", mail(mark), "message/rfc822")
    api.upload(name, "letter.txt", f"Dear Ann,\nyours,\n{mark}".encode(), "text/plain")
    return name if made(visit, name) else None


def show(visit, fund, file):
    """Opens a file by its row, and waits until it is shown as what it is."""
    page = visit.page
    visit.open_fund(fund, "?view=list&sort=name")
    visit.press(visit.row(file).locator("a.name"))
    # Until then it says that it is being made.
    visit.wait(lambda: page.locator("section.fields").count() == 1, f"{file} is shown as what it is", page.reload)
    visit.expect(f"no page is wider than its screen: {file}", page.evaluate(LAYOUT))
    visit.expect(f"no markup of {file} is markup", page.locator("main b[onclick]").count() == 0)


@story()
def tables(visit):
    fund = opened(visit)
    if not fund:
        return
    page = visit.page
    show(visit, fund, "positions.csv")
    rows = page.locator(".tabular tbody tr")
    visit.expect(f"199 rows and their names: {rows.count()}", rows.count() == 199)
    visit.expect("columns have names", page.locator(".tabular th").first.inner_text() == "Fund")
    texts = rows.nth(1).locator("td").all_inner_texts()
    visit.expect(f"formulas and markup are texts: {texts}", texts[:2] == [FORMULA, MARKUP])
    visit.expect("it says that there are more", page.locator(".fields > .hint").count() == 1)
    visit.look("table")
    page.locator(".fields > .hint").scroll_into_view_if_needed()
    page.locator(".tabular").evaluate("one => one.scrollTo(120, 2400)")
    visit.look("scrolled")
    page.click(".wording summary")
    page.frame_locator(".wording iframe").locator("pre").wait_for()
    visit.look("text")
    # Commas in a letter make no table of it.
    visit.open_fund(fund, "?view=list&sort=name")
    visit.press(visit.row("letter.txt").locator("a.name"))
    visit.expect("a letter is a text", page.locator("section.fields").count() == 0)


@story()
def calendars(visit):
    fund = opened(visit)
    if not fund:
        return
    page = visit.page
    show(visit, fund, "committee.ics")
    entries = page.locator(".entry")
    visit.expect("both events are there", entries.count() == 2)
    text = entries.first.inner_text()
    for word in ("Investment committee: autumn review of the portfolio of Harbour Growth IV", "陆家嘴环路 1000 号, 21 楼",
                 "Zhang, San <zhang.san@example.com>", "Bea Okafor", MARKUP, "25"):
        visit.expect(f"it says {word}", word in text)
    visit.look("events")
    show(visit, fund, "people.vcf")
    text = page.locator("section.fields").inner_text()
    for word in ("Ann Miller", "+44-20-7946-0018", "1 Quay Street, London, EC2A 4NE, United Kingdom", "张三", "港湾资本"):
        visit.expect(f"the cards say {word}", word in text)
    visit.look("cards")


@story()
def mails_as_files(visit):
    fund = opened(visit)
    if not fund:
        return
    page = visit.page
    show(visit, fund, "call-7.eml")
    text = page.locator("section.fields").inner_text()
    for word in ("Capital call no. 7 – Harbour Growth IV", "张三 <zhang.san@example.com>", "notice-7.pdf", MARKUP,
                 "附件为第七期缴款通知书"):
        visit.expect(f"the mail says {word}", word in text)
    visit.look("mail")
    # What it says is found, although the file has it encoded. A busy machine reads what is asked for first.
    page.click(".wording summary")
    page.frame_locator(".wording iframe").get_by_text("附件为第七期缴款通知书").wait_for()
    visit.open("/library/search?q=缴款通知书")
    # A name's ending is a box of its own.
    visit.wait(lambda: "call-7.eml" in page.locator("main").text_content(), "it is found", page.reload)
