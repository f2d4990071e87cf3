import FundCore
import Testing

@testable import MailParse

/// The parts of HTML that are kept, left out, and reported.
struct MarkupSanitizerTests {
    @Test(arguments: [
        // Markup that stays, in one form.
        ("<p>Dear <b>all</b></p>", "<p>Dear <b>all</b></p>"),
        ("<P CLASS=a ALIGN='center'>x", "<p class=\"a\" align=\"center\">x"),
        ("<br/><hr/>", "<br><hr>"), ("</p>", ""), ("a < b > c", "a &lt; b &gt; c"),
        ("<b title=\"&quot;<i>&quot;\">x</b>", "<b title=\"&quot;&lt;i&gt;&quot;\">x</b>"),
        // References, known and unknown; none makes markup.
        (
            "&lt;b&gt; &amp;lt; &rarr; &nbsp;&copy 2026 &#x3C;i&#62; &#0; &#128; & &unknown",
            "&lt;b&gt; &amp;lt; &rarr; \u{A0}© 2026 &lt;i&gt; \u{FFFD} € &amp; &amp;unknown"
        ),
        // Elements that are not kept lose their tags; some lose what is in them.
        ("<form><label>x</label><input value=y><button>z</button></form>", "xz"),
        ("<marquee>x</marquee><blink>y</blink><custom-tag>z</custom-tag>", "xyz"),
        ("<script>x</script>a<style>x{}</style>b<title>t</title>c<textarea>d</textarea>e", "abce"),
        ("<select><option>x</select>y", "y"), ("<select><option>x<p>y</p>", "<p>y</p>"),
        ("<noscript><b>x</b></noscript>", "<b>x</b>"), ("<xmp><b>x</b></xmp>", "<pre>&lt;b&gt;x&lt;/b&gt;</pre>"),
        ("<plaintext><b>x", "<pre>&lt;b&gt;x</pre>"), ("<object data=x><p>y</p></object>", "<p>y</p>"),
        // Comments in all their ends.
        ("a<!--x-->b<!-->c<!--->d<!--y--!>e<!x>f<?g>h</ i>j<!--k", "abcdefhj"),
        ("<![CDATA[x]]>y", "y"), ("a<!--[if mso]><b>x</b><![endif]-->b", "ab"),
        // Tags that do not end are dropped, as browsers do.
        ("x<b", "x"), ("x<b title=\"", "x"), ("x</b", "x"), ("x<", "x&lt;"), ("x</", "x&lt;/"),
        // Text behind the end is shown, too.
        ("<html><body bgcolor=#fff>x</body></html>y", "<html><body bgcolor=\"#fff\">xy"),
    ])
    func writes(html: String, expected: String) { #expect(sanitized(html).text == expected) }

    /// A pile of combining marks takes browsers quadratic time.
    @Test func dividesPilesOfMarks() {
        let text = sanitized("<p>a" + String(repeating: "&#x301;\u{316}", count: 1000)).text
        #expect(text.utf8.starts(with: "<p>a".utf8) && text.unicodeScalars.count { $0 == "\u{25CC}" } == 15)
    }

    @Test(
        arguments: [
            ("https://a.example/x?y=1&amp;z=2#f", "https://a.example/x?y=1&amp;z=2#f"),
            ("HTTP://A.Example\\x", "http://a.example/x"), ("//a.example", "https://a.example"),
            (" ht\ntps:\t//a.example ", "https://a.example"), ("mailto:a@b.example", "mailto:a@b.example"),
            ("tel:+49-30", "tel:+49-30"), ("https://a.example/&quot;<>`", "https://a.example/%22%3C%3E%60"),
            ("javascript:alert(1)", nil), ("java\tscript:alert(1)", nil), ("&#106;avascript&colon;alert(1)", nil),
            ("data:text/html,x", nil), ("vbscript:x", nil), ("blob:https://a.example/x", nil),
            ("file:///etc/passwd", nil),
            ("/library/delete", nil), ("#top", nil), ("", nil), ("https://", nil), ("https://a b/", nil),
            ("https://a.example:99999999/", nil), ("feed:https://a.example", nil), ("\u{1}javascript:x", nil),
        ] as [(String, String?)])
    func keepsSafeTargets(href: String, expected: String?) {
        let text = sanitized("<a href=\"\(href)\">x</a>").text
        let written = expected.map { "<a href=\"\($0)\" target=\"_blank\" rel=\"noopener noreferrer\">x</a>" }
        #expect(text == written ?? "<a>x</a>")
    }

    /// The target that the mail gives is not believed in either.
    @Test
    func setsTargetItself() {
        let text = sanitized("<a target=_top rel=opener ping=https://e.example href=https://a.example>x</a>").text
        #expect(
            text == "<a href=\"https://a.example\" target=\"_blank\" rel=\"noopener noreferrer\">x</a>")
    }

    @Test(
        arguments: [
            ("https://a.example", "click", nil), ("https://www.a.example/x", "a.example/x", nil),
            ("https://a.example", "www.a.example.", nil), ("https://a.example", "see report.pdf", nil),
            ("https://a.example", "请访问a.example。谢谢", nil), ("mailto:x@a.example", "b.example", nil),
            ("https://evil.example", "bank.example", "bank.example"),
            ("https://bank.example.evil.example", "https://bank.example/login", "bank.example"),
            ("https://evil.example", "ann@bank.example", "bank.example"),
            ("https://evil.example", "b<b>an</b>k<!-- -->.example", "bank.example"),
            ("https://evil.example", "ba&shy;nk\u{200B}.example", "bank.example"),
            ("https://evil.example", "ｂａｎｋ．ｅｘａｍｐｌｅ", "bank.example"),
            ("https://evil.example", "<img alt=bank.example>", "bank.example"),
            ("https://evil.example", "請見bank.example網站", "bank.example"),
            ("https://evil.example", "bank\u{2024}example", "bank.example"),
            ("https://evil.example", "bank\u{3002}example", "bank.example"),
            ("https://evil.example", "𝐛𝐚𝐧𝐤.ⓔxample", "bank.example"),
            ("https://evil.example", "ʙᴀɴᴋ.example", "ʙᴀɴᴋ.example"),
            ("https://a.example", "see more\u{2026}here", nil), ("https://bank.example", "bаnk.example", nil),
            ("https://evil.example", "x" + String(repeating: " ", count: 5000) + "bank.example", "bank.example"),
            (
                "https://evil.example", String(repeating: "&nbsp;<b>\n</b>", count: 5000) + "bank.example",
                "bank.example"
            ),
            ("https://evil.example", String(repeating: "&#x2800;&zwj;", count: 5000) + "bank.example", "bank.example"),
        ] as [(String, String, String?)])
    func comparesTextAndTarget(href: String, text: String, shownHost: String?) {
        let mail = sanitized("<a href=\"\(href)\">\(text)</a>")
        #expect(mail.links.map(\.shownHost) == (shownHost.map { [$0] } ?? []))
    }

    @Test(arguments: [
        ("https://bank.example@evil.example/", LinkTarget.Warning.userInfo), ("http://127.0.0.1/", .address),
        ("http://2130706433/", .address), ("http://0x7f.1/", .address), ("http://[::1]/", .address),
        ("https://xn--pple-43d.com/", .letters), ("https://аpple.com/", .letters),
        ("https://a.example。evil/", .letters),
    ])
    func warnsOfHosts(href: String, warning: LinkTarget.Warning) {
        #expect(sanitized("<a href=\"\(href)\">x</a>").links.first?.target.warnings(shownHost: nil) == [warning])
    }

    @Test
    func countsRemotePictures() {
        let html = """
            <body background="http://e.example/1"><img src="https://e.example/2" alt=two><img src=//e.example/3>
            <img srcset="https://e.example/4 2x"><td background=https://e.example/5>
            <p style="background: #fff url('https://e.example/6') no-repeat">
            <style>.a{background-image:url(https://e.example/7)}
            @media print{.b{list-style:url("//e.example/8")}}</style>
            <img src="cid:none"><img src="x.png"><img src="data:image/svg+xml;base64,PHN2Zy8+">
            """
        let blocked = sanitized(html)
        #expect(blocked.blockedPictures == 8)
        #expect(!blocked.text.contains("e.example"))
        #expect(blocked.text.contains("<img alt=\"two\">"))
        #expect(blocked.text.contains("<p style=\"background:#fff no-repeat\">"))
        let shown = sanitized(html, showsRemotePictures: true)
        #expect(shown.blockedPictures == 1)  // a set, of which none is chosen here
        for number in [1, 2, 3, 5, 6, 7, 8] {
            #expect(shown.text.contains("https://e.example/\(number)"), "\(number)")
        }
        #expect(!shown.text.contains("http:"))
    }

    @Test
    func showsPicturesOfTheMail() {
        let pictures = [
            HTMLMail.Picture(contentID: "logo@a", name: "logo.png", bytes: 1000),
            HTMLMail.Picture(contentID: "big", name: "<b>big.png", bytes: HTMLMail.maxPictureBytes),
        ]
        let mail = sanitized(
            "<img src=\"cid:logo%40a\"><img src=CID:big alt=''><img src=\"./x/logo.png\"><img src=cid:other>",
            pictures: pictures)
        #expect(mail.pictureIndices == [0, 0])
        #expect(mail.text.contains(">&lt;b&gt;big.png</span>"))
        #expect(mail.blockedPictures == 0)
        let small = HTMLMail.Picture(contentID: "s", name: "s.gif", bytes: 0)
        #expect(
            sanitized(String(repeating: "<img src=cid:s>", count: 2000), pictures: [small]).pictureIndices.count == 500)
        #expect(
            sanitized("<img src=' data:image/PNG;base64,AAAA '>").text == "<img src=\"data:image/png;base64,AAAA\">")
        for other in ["svg+xml;base64,AAAA", "png,AAAA", "png;base64,\"", "png;charset=x;base64,AAAA"] {
            #expect(sanitized("<img src='data:image/\(other)'>").text == "<img>", "\(other)")
        }
    }

    @Test
    func noticesColoursForTheDark() {
        #expect(!sanitized("<style>@media (prefers-color-scheme: dark){p{color:#fff}}</style>").hasDarkColours)
        #expect(sanitized("<meta name=Color-Scheme content='light DARK'>").hasDarkColours)
        #expect(sanitized("<meta name=supported-color-schemes content='light,dark'>").hasDarkColours)
        #expect(sanitized("<style>:root{color-scheme:light dark}</style>").hasDarkColours)
        #expect(!sanitized("<meta name=color-scheme content=light>").hasDarkColours)
    }

    /// Each disguised link costs the server an address that it seals, and each link a comparison.
    @Test
    func boundsLinks() {
        let most = MarkupSanitizer.maxDisguisedLinks
        func links(_ count: Int, _ target: String) -> SanitizedMail {
            sanitized(String(repeating: "<a href=\(target)>x</a>", count: count) + "<a href=//b.example>end</a>")
        }
        func count(_ mail: SanitizedMail) -> Int { mail.text.matches(of: /<a href=/).count }
        let enough = links(most, "//1")
        #expect(enough.links.count == most && count(enough) == most + 1 && !enough.isCut)
        let tooMany = links(most + 500, "//1")
        #expect(tooMany.links.count == most && tooMany.isCut)
        #expect(tooMany.text.contains("<a>x</a><a href=\"https://b.example\" target"))
        // Plain ones are shown as they are, up to a number that no mail for people has.
        let plain = links(most + 500, "//a.example")
        #expect(plain.links.isEmpty && count(plain) == most + 501 && !plain.isCut)
        let report = links(MarkupSanitizer.maxLinks, "//a.example")
        #expect(count(report) == MarkupSanitizer.maxLinks && report.isCut)
        #expect(report.text.hasSuffix("<a>end</a>"))
    }

    /// Neither deep nor long mail costs more than its length, and none grows without bounds.
    @Test
    func boundsDepthAndLength() {
        let deep = sanitized(String(repeating: "<div>", count: 20_000) + "x")
        #expect(deep.text.hasSuffix("<div>x"))
        #expect(deep.text.utf8.count == MarkupSanitizer.maxDepth * 5 + 1)
        // Unclosed items are not deep.
        #expect(sanitized(String(repeating: "<li>", count: 1000)).text.utf8.count == 4000)
        let grown = sanitized(String(repeating: "<a href=//a>x", count: 100_000))
        #expect(grown.isCut)
        #expect(grown.text.utf8.count < MarkupSanitizer.maxBytes + 1000)
        let escaped = sanitized(String(repeating: "\"\"\"\"\"\"\"\"<br>", count: 130_000))
        #expect(escaped.isCut)
        #expect(escaped.text.utf8.count < MarkupSanitizer.maxBytes + 1000)
        for unclosed in ["<!--", "<b \"", "<style>", "</", "<a href='", "&", "<svg>", "<![CDATA["] {
            _ = sanitized(String(repeating: unclosed, count: (1 << 16) / unclosed.utf8.count))
        }
        for open in ["{", "(", "url(", "@media ", "a{", "\\", "\"", "/*", "[", "a:b;"] {
            let style = String(repeating: open, count: (1 << 16) / open.utf8.count)
            _ = sanitized("<style>\(style)</style><p style='\(style.replacing("'", with: ""))'>")
        }
    }
}
