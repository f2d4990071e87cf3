import TestSupport
import FundCore
import Testing

@Suite struct VisibleTextTests {
    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("  a \n\t b ", "a b"), ("<p", ""), ("&", "&"), ("a < b <3", "a < b <3"),
        // Blocks are lines, other tags part words or do not.
        ("<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree"), ("<p>One <br>two</p>", "One\ntwo"),
        ("<table><tr><td>1</td><td>2</td></tr></table>", "1 2"), ("<dt>a</dt><dd>b</dd>", "a b"),
        ("<b>b</b>old <a href='https://example.com/x'>link</a>s", "bold links"), ("one<o:p></o:p>", "one"),
        // Invisible content.
        ("<head><title>T</title></head><style>p{}</style>x<script>alert('<p>')</script>y", "xy"),
        ("<html><head><meta charset=utf-8><body>no end of the head", "no end of the head"),
        ("<script>var x='</p>'</SCRIPT >after", "after"), ("<STYLE>x</StYlE>y", "y"), ("<script>never ends", ""),
        ("x<script", "x"), ("a<!-- <b> -->c", "ac"), ("<!DOCTYPE html><?xml?>x", "x"),
        // Character references.
        ("a &lt;b&gt; &amp;amp; &#65;&#x42; &nope; &", "a <b> &amp; AB &nope; &"), ("&#xD800;x&#7;", "&#xD800;x&#7;"),
        ("M&uuml;ller &amp; S&#246;hne &#x4E2D;&hellip;", "Müller & Söhne 中…"),
    ])
    func textOfHTML(_ html: String, _ text: String) { #expect(VisibleText.of(html: html) == text) }

    /// The time grows only with the length of the text.
    @Test(.timeLimit(.minutes(1)), arguments: ["<", "&", "<!--", "<script>", "<p>", "&#", "<p", " "])
    func htmlOfAnyKindIsFast(piece: String) {
        _ = VisibleText.of(html: String(repeating: piece, count: 200_000))
    }
}
