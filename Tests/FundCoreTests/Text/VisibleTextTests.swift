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
        ("&#99999999; &#xFFFFFFF; &#; &#x; &; &#+65;", "&#99999999; &#xFFFFFFF; &#; &#x; &; &#+65;"),
        ("&\0amp; &abcdefghijk; &ÀÀÀ; &AMP;", "&\0amp; &abcdefghijk; &ÀÀÀ; &AMP;"), ("&amp", "&amp"),
        ("&#x41", "&#x41"),
        // Comments, and names that begin like others.
        ("a<!-->b", "ab"), ("a<!--->b", "ab"), ("a<!-- -- >b-->c", "ac"), ("a<!->b", "a b"), ("a<!--", "a"),
        ("<scripty>x</scripty>", "x"), ("<script>a</scripty>b", "b"), ("<script></scrip>a</script>b", "b"),
        ("a<averyverylongnameofanelement>b", "a b"), ("a</style>b", "a b"), ("<H1>a</H1>b", "a\nb"),
    ])
    func textOfHTML(_ html: String, _ text: String) { #expect(VisibleText.of(html: html) == text) }

    /// The time grows only with the length of the text: four times of it, not sixteen.
    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "<", "&", "<!--", "<script>", "<p>", "&#", "<p", " ", "<b></i>", "<svg>", "&a;", "&#65;", "<script></x",
            "<!--->",
        ])
    func htmlOfAnyKindIsFast(piece: String) {
        func seconds(_ bytes: Int) -> Double {
            let html = String(repeating: piece, count: bytes / piece.utf8.count)
            // The best of some: other tests run at the same time.
            let times = (0..<4).map { _ in processorTime { _ = VisibleText.of(html: html) } }
            return (times.min() ?? .zero) / .seconds(1)
        }
        let (short, long) = (seconds(32 << 10), seconds(128 << 10))
        #expect(long < 12 * short + 0.01, "\(short) s, \(long) s")
    }
}
