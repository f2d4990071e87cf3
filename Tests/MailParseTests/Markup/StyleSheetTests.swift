import FundCore
import Testing

@testable import MailParse

/// The parts of style that are kept.
struct StyleSheetTests {
    private func declarations(_ text: String) -> String {
        var context = MarkupContext()
        return StyleSheet.declarations(text, &context)
    }

    private func sheet(_ text: String, media: String? = nil) -> String {
        var context = MarkupContext()
        return StyleSheet.filtered(text, media: media, &context)
    }

    @Test(arguments: [
        ("color: red; FONT-family: 'Segoe UI', Arial", "color:red;font-family:\"Segoe UI\", Arial"),
        ("margin:0 auto!important", "margin:0 auto!important"), ("width:calc(100% - 2px)", "width:calc(100% - 2px)"),
        ("color:rgb(1,2,3);background:#fff url(x) no-repeat", "color:rgb(1,2,3);background:#fff no-repeat"),
        ("color/**/:/**/red", "color:red"), ("c\\6flor: re\\64", "color:red"),
        ("font-family:'\\22\\3c/style\\3e'", "font-family:\"\\22 \\3c /style\\3e \""),
        ("content:'\\22\\3c/\\3e'", "content:\"\\22 \\3c /\\3e \""),
        ("content:'•';quotes:none", "content:\"•\";quotes:none"),
        // Words that are not in the text of the mail.
        ("content:'bank.example';quotes:'b' 'k';list-style:'ｂ';text-overflow:'b'", ""),
        ("content:\"\" url(x) 'b';content:'\\62 ank'", ""),
        // Not on the list, or not of the form.
        ("--x:1;color:var(--x);color:env(x);width:attr(x)", ""), ("behavior:url(x);-moz-binding:url(x)", ""),
        ("width:expression(alert(1));width:exp/**/ression(1)", ""), ("filter:progid:X(y)", ""),
        ("position:fixed;position:sticky;position:-webkit-sticky;position:fixed !important", ""),
        ("position:absolute;position:RELATIVE!important", "position:absolute;position:RELATIVE!important"),
        ("position:var(--x)", ""), ("cursor:url(x),auto;animation:x 1s;transition:all 1s;mask:url(x)", ""),
        ("background:image-set('x' 1x);background:element(#x)", ""), ("color:red}p{color:blue", ""),
        ("color:red;{color:blue};color:green", "color:red;color:green"), ("background:url(a b);color:red", "color:red"),
        ("background:url('x", ""), ("background:\\75rl(x)", ""), ("color:\\0 red", "color:\u{FFFD}red"),
        ("width:1\\65 3", ""),
        ("width:1px\\3b color:red", ""), ("font:x;;;", "font:x"), ("text-x\\{y:1", ""),
    ])
    func keepsDeclarations(text: String, expected: String) { #expect(declarations(text) == expected) }

    @Test(arguments: [
        ("p , .a > b #c [x=y]::before { color:red } q{}", "p , .a > b #c [x=\"y\"]::before{color:red}"),
        ("<!-- p{color:red} -->", "p{color:red}"), ("@import 'x'; @charset \"y\"; p{color:red}", "p{color:red}"),
        ("@font-face{src:url(x)} @keyframes x{from{color:red}} @page{margin:0}", ""),
        (
            "@media screen and (max-width:600px){p{color:red} @import 'x';}",
            "@media screen and (max-width:600px){p{color:red}}"
        ),
        ("@media x{@media y{@media z{@media a{@media b{p{color:red}}}}}}", ""),
        ("@supports (x:y){p{color:red}}", ""), ("@unknown{p{color:red}}q{color:red}", "q{color:red}"),
        ("p{color:red", "p{color:red}"), ("p{color:red}}q{color:red}", "p{color:red}q{color:red}"),
        ("p<x{color:red}q{color:red}", "q{color:red}"), ("p\\3c {color:red}", ""),
        ("x{a(};color:red}", ""), ("a:nth-child( 2n+1 ):not(.b){color:red}", "a:nth-child( 2n+1 ):not(.b){color:red}"),
    ])
    func keepsRules(text: String, expected: String) {
        #expect(sheet(text) == expected.replacing("[x=\"y\"]", with: "[x=y]"))
    }

    /// Style that costs browsers seconds is left out, and the style around it stays.
    @Test
    func dropsWhatIsCostly() {
        func list(_ piece: String, _ count: Int, by separator: String = " ") -> String {
            Array(repeating: piece, count: count).joined(separator: separator)
        }
        let shadow = "0 0 500px 500px red"
        #expect(declarations("box-shadow:\(list(shadow, 12, by: ","))").hasPrefix("box-shadow:0 0"))
        #expect(declarations("box-shadow:\(list(shadow, 13, by: ","));color:red") == "color:red")
        #expect(declarations("font-family:\(list("a", 300, by: ","));color:red") == "color:red")
        #expect(declarations("width:calc(\(list("(", 7, by: ""))1px\(list(")", 8, by: ""))") != "")
        #expect(declarations("width:calc(\(list("(", 8, by: ""))1px\(list(")", 9, by: "")) ; top:0") == "top:0")
        #expect(declarations("margin:\(list("+", 300, by: "")) ; top:0") == "top:0")
        #expect(declarations(list("top:0", 300, by: ";")).split(separator: ";").count == StyleSheet.maxDeclarations)

        #expect(sheet("\(list("p", 17)) {top:0}\(list("p", 18)) {left:0}") == "\(list("p", 17)){top:0}")
        #expect(sheet("\(list("p", 18, by: "~")){top:0}q{top:0}") == "q{top:0}")
        #expect(sheet("\(list("*:nth-child(2n+1)", 18, by: " ~ ")){top:0}q{top:0}") == "q{top:0}")
        // Each of a list has its own.
        #expect(sheet("\(list(list("p", 17), 15, by: " , ")){top:0}") != "")
        #expect(sheet("\(list("p", 257, by: ",")){top:0}q{top:0}") == "q{top:0}")
        #expect(sheet("\(list(".a", 257, by: "")){top:0}q{top:0}") == "q{top:0}")
        #expect(sheet("\(list(":not(", 8, by: ""))p\(list(")", 8, by: "")){top:0}") != "")
        #expect(sheet("\(list(":not(", 9, by: ""))p\(list(")", 9, by: "")){top:0}q{top:0}") == "q{top:0}")
        #expect(sheet(":is(\(list("p", 17, by: ","))){top:0}") != "")
        #expect(sheet(":is(\(list("a p", 18, by: ","))){top:0}q{top:0}") == "q{top:0}")
    }

    /// The limit holds for all sheets of a mail together.
    @Test
    func keepsNoMoreRulesThanOthersWrite() {
        let rules = { String(repeating: "p{top:0}x{}", count: $0) }
        let html = "<style>\(rules(1500))</style><style>@media print{\(rules(1000))}</style><style>q{top:0}</style>z"
        let text = MarkupSanitizer.sanitized(HTMLMail(html: html)).text
        #expect(text.split(separator: "p{top:0}", omittingEmptySubsequences: false).count == StyleSheet.maxRules + 1)
        #expect(!text.contains("q{") && text.hasSuffix("z"))
    }

    @Test
    func mindsMedia() {
        #expect(sheet("p{color:red}", media: "print") == "@media print{p{color:red}}")
        #expect(sheet("p{color:red}", media: "a{}b") == "")
    }
}
