import Testing

@testable import MailParse

@Suite struct FlowedTextTests {
    @Test(arguments: [
        ("a \nb\nc\n", "a b\nc\n"), ("a \nb \nc", "a b c"), ("a\nb\n", "a\nb\n"), ("", ""), ("\n", "\n"), ("a ", "a "),
        // stuffing
        (" From x\n >y\n  z\n", "From x\n>y\n z\n"),
        // quotes: those of one depth are joined, others never
        (">a \n>b\n", "> a b\n"), ("> a \nb\n", "> a \nb\n"), (">> a \n> b \n> c\n", ">> a \n> b c\n"),
        (">\n> a\n", ">\n> a\n"),
        // the signature is no wrapped line, and ends one
        ("a \n-- \nAnn\n", "a \n-- \nAnn\n"), ("> -- \n> Ann\n", "> -- \n> Ann\n"),
        // an empty line is one, also behind a blank
        ("a \n\nb\n", "a \n\nb\n"), ("a \n \nb\n", "a \n\nb\n"),
    ])
    func joins(_ text: String, _ expected: String) {
        #expect(FlowedText(["format": "Flowed"])?.joined(text) == expected)
    }

    @Test(arguments: [
        ("季度 \n報告 \n\n", "季度報告\n\n"), ("https://a/ \nb\n", "https://a/b\n"), ("a  \nb\n", "a b\n"),
        ("> a \n> b\n", "> ab\n"), ("-- \nAnn\n", "-- \nAnn\n"),
    ])
    func deletesTheBlank(_ text: String, _ expected: String) {
        #expect(FlowedText(["format": "flowed", "delsp": "YES"])?.joined(text) == expected)
    }

    @Test func otherTextIsNotFlowed() {
        #expect(FlowedText([:]) == nil)
        #expect(FlowedText(["format": "fixed", "delsp": "yes"]) == nil)
    }
}
