import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundmailCLI

/// Text from mail is hostile wherever it is shown.
@Suite struct OutputTests {
    /// A real shell reads back what was meant, and runs nothing.
    @Test(
        .startsPrograms,
        arguments: [
            "Fund1", "Alpha Fund", "it's", "$(touch /tmp/x)", "`id`", "-rf", "a;b|c&d", "", "\"", "!x", "\\'", "~",
            // One character for Swift, two for the shell.
            "it'\u{301}; echo '\u{301}",
        ])
    func shellWords(word: String) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "printf %s " + ShellWord.quoted(word)]
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: output, as: UTF8.self) == word)
    }

    @Test(arguments: [
        ("=HYPERLINK(1)", "\"'=HYPERLINK(1)\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@x", "\"'@x\""),
        ("\t=1", "\"'\t=1\""), ("\r=1", "\"'\r=1\""), (" =1", "\"' =1\""), ("＝1", "\"'＝1\""), ("a\"b", "\"a\"\"b\""),
        ("a,b", "\"a,b\""), ("plain", "plain"), ("a\nb", "\"a\nb\""), ("a=b", "a=b"), ("x\0y", "xy"),
        ("a\u{1b}]0;b\u{7}\u{9b}c\u{7f}", "a]0;bc"), ("\u{1b}=1", "\"'=1\""),
        ("a\"\u{301}b", "\"a\"\"\u{301}b\""),
    ])
    func csvCells(value: String, cell: String) { #expect(CSVWriter.cell(value) == cell) }

    @Test(arguments: HostileText.samples) func csvReadsBack(text: String) throws {
        var writer = CSVWriter()
        writer.row(["first", "x" + text, "last"])
        let plain = ("x" + text).unicodeScalars.filter { scalar in
            "\t\r\n".unicodeScalars.contains(scalar) || scalar.properties.generalCategory != .control
        }
        let rows = try CSVReader.rows(writer.text)
        #expect(rows.count == 1)
        #expect(rows.first?.cells.dropFirst().first?.unicodeScalars.elementsEqual(plain) == true)
    }

    @Test func htmlIsInert() {
        let text = HTMLText.escaped("<img src=x onerror='a(\"&\")'>\u{202e}\u{1b}")
        #expect(text == "&lt;img src=x onerror=&#39;a(&quot;&amp;&quot;)&#39;&gt;")
    }
}
