import TestSupport
import Foundation
import FundCore
import Testing

@testable import MailFetch

@Suite struct FileSourceTests {
    /// - Parameter links: symbolic links to the folder that is read, by their names in it.
    private func collect(
        _ files: [String: String], paths: [String] = ["."], links: [String] = []
    ) async throws -> [(
        place: String, text: String
    )] {
        let root = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (name, text) in files {
            let path = "\(root)/\(name)"
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            if !name.hasSuffix("/") { try Data(text.utf8).write(to: URL(filePath: path)) }
        }
        for name in links {
            try FileManager.default.createSymbolicLink(atPath: "\(root)/in/\(name)", withDestinationPath: "\(root)/in")
        }
        let spool = "\(root)/spool"
        try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
        let source = FileSource(paths: paths.map { $0 == "." ? "\(root)/in" : "\(root)/in/\($0)" })
        var found: [(String, String)] = []
        while let pending = await source.next(atMost: 1).first {
            let message = try pending.spool(SpoolDirectory(path: spool))
            let text = String(decoding: try message.bytes(), as: UTF8.self)
            #expect(message.digest == .of(text.utf8), "the digest is that of the bytes")
            found.append((String(pending.reference.place.dropFirst(root.count + 4)), text))
        }
        return found
    }

    @Test func foldersAreWalkedByNameAndOtherFilesPassedOver() async throws {
        let found = try await collect([
            "in/b.eml": "b", "in/a/z.EML": "z", "in/a/notes.txt": "no", "in/a/17": "mh", "in/c.json": "{}",
        ])
        #expect(found.map(\.place) == ["a/17", "a/z.EML", "b.eml"])
    }

    @Test func aNamedFileIsReadWhateverItIsCalled() async throws {
        let found = try await collect(["in/letter.txt": "x"], paths: ["letter.txt"])
        #expect(found.map(\.text) == ["x"])
    }

    @Test func maildirGivesNewAndCurButNotTmp() async throws {
        let found = try await collect([
            "in/cur/1:2,S": "one", "in/new/2": "two", "in/tmp/3": "no", "in/.Sub/cur/4": "four", "in/.Sub/new/": "",
        ])
        #expect(found.map(\.text) == ["four", "one", "two"])
    }

    /// Two links double what is read with each folder below, without an end.
    @Test(arguments: ["", "cur/"])
    func linksThatLeadBackUpAreNotFollowed(_ folder: String) async throws {
        let found = try await collect(
            ["in/cur/1": "one", "in/new/2": "two"], links: ["\(folder)a", "\(folder)b.eml"])
        #expect(found.map(\.text) == ["one", "two"])
    }

    private static let line = "From ann@example.com Mon Nov 10 09:12:33 2025\n"
    private static let dash = "From - Mon Nov 10 09:12:33 2025\n"

    @Test(arguments: [
        // quoting of mboxrd and mboxo, and the empty line of the format taken off
        (
            "From a Mon Jan  1 10:00:00 2026\nA: 1\n\n>From x\n>>From y\n>Fromage\n\n"
                + "From b Mon Jan  1 10:00:00 2026\nB: 2\n\nend\n",
            ["A: 1\n\nFrom x\n>From y\n>Fromage\n", "B: 2\n\nend\n"]
        ),
        // a paragraph that begins with "From " is no envelope line
        ("From a Mon Jan  1 10:00:00 2026\nA: 1\n\nFrom here on\n", ["A: 1\n\nFrom here on\n"]),
        // no time of day anywhere: every such line counts
        ("From a\nA: 1\n\nFrom b\nB: 2\n", ["A: 1\n", "B: 2\n"]),
        // CRLF
        (
            "From a Mon Jan  1 10:00 2026\r\nA: 1\r\n\r\nx\r\n\r\nFrom b Mon Jan 1 10:00 2026\r\nB: 2\r\n",
            ["A: 1\r\n\r\nx\r\n", "B: 2\r\n"]
        ),
        // a byte order mark, or empty lines, above the first envelope line
        ("\u{FEFF}\(line)A: 1\n\nx\n\n\(line)B: 2\n", ["A: 1\n\nx\n", "B: 2\n"]),
        ("\r\n\n\(line)A: 1\n\nx\n\n\(line)B: 2\n", ["A: 1\n\nx\n", "B: 2\n"]),
        // no empty line between messages, or above the header of one
        (
            "\(line)A: 1\n\nx\n\(line)Subject: 2\n\ny\n\(dash)X-A: 3\n",
            ["A: 1\n\nx\n", "Subject: 2\n\ny\n", "X-A: 3\n"]
        ),
        ("\(line)A: 1\n\(line)Subject: 2\n", ["A: 1\n", "Subject: 2\n"]),
        ("\(line)A: 1\n\nx\n\n\(line)\nB: 2\n", ["A: 1\n\nx\n", "\nB: 2\n"]),
        // a message that quotes another whole, in a file that has empty lines between messages, or at its end
        (
            "\(line)A: 1\n\nas it came:\n\(line)Subject: 2\n\ny\n\n\(line)Subject: 3\n\nz\n",
            ["A: 1\n\nas it came:\n\(line)Subject: 2\n\ny\n", "Subject: 3\n\nz\n"]
        ),
        ("\(line)A: 1\n\nx\n\(line)Subject: 2\n\ny\n\n", ["A: 1\n\nx\n\(line)Subject: 2\n\ny\n"]),
        // no empty line between messages, of which one ends with one
        (
            "\(line)A: 1\n\nx\n\(line)Subject: 2\n\ny\n\n\(line)Subject: 3\n\nz\n\(line)Subject: 4\n",
            ["A: 1\n\nx\n", "Subject: 2\n\ny\n", "Subject: 3\n\nz\n", "Subject: 4\n"]
        ),
        // an envelope line that came into the header
        ("\(line)A: 1\n\nx\n\n\(line)>\(line)B: 2\n", ["A: 1\n\nx\n", "From \(String(line.dropFirst(5)))B: 2\n"]),
        // text that looks like one
        (
            "\(line)A: 1\n\n\nFrom Berlin Mon Nov 10 09:12:33 2025\nwe write\n",
            ["A: 1\n\n\nFrom Berlin Mon Nov 10 09:12:33 2025\nwe write\n"]
        ),
        (
            "\(line)A: 1\n\n\nFrom Berlin Mon Nov 10 09:12:33 2025\n\nhttps://x.example\n",
            ["A: 1\n\n\nFrom Berlin Mon Nov 10 09:12:33 2025\n\nhttps://x.example\n"]
        ),
        // an empty message, and no newline at the end
        ("From a 10:00\n\nFrom b 10:00\nB: 2", ["", "B: 2"]),
    ])
    func mboxIsCutIntoMessages(_ mbox: String, _ expected: [String]) async throws {
        let found = try await collect(["in/mail.mbox": mbox])
        #expect(found.map(\.text) == expected)
        #expect(found.map(\.place) == expected.indices.map { "mail.mbox#\($0 + 1)" })
    }

    /// A line that is not certain to begin a message is read as text, and said.
    @Test(arguments: [
        ("x\n", "From ann Mon Nov 10 09:12:33 2025\nSubject: 2\n", true),
        ("x\n", "From ann@example.com\nFrom: ann@example.com\n", true),
        ("x\n", "From Mon Nov 10 09:12:33 2025\nReceived: y\n", true),
        ("x\n", "\(line)Hint: y\n", true), ("x\n", "\(line)Subject: 2\n\ny\n\n", true),
        ("x\n\n", "\(line)we write\n", true),
        ("x\n\n", "From ann@example.com\nSubject: 2\n", true),
        ("x\n", "\(line)we write\n", false), ("x\n\n", "From here on:\nSubject: 2\n", false),
        ("x\n\n", "From ann@example.com we heard\nnothing: y\n", false),
        ("x\n\n", "From Berlin Mon Nov 10 09:12:33 2025\nwe write\n", false), ("x\n", ">\(line)Subject: 2\n", false),
    ])
    func whatMayBeAnotherMessageIsSaid(_ before: String, _ after: String, _ isSaid: Bool) async throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "mbox-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        try Data("\(Self.line)A: 1\n\n\(before)\(after)".utf8).write(to: URL(filePath: root))
        let found = await FileSource(paths: [root]).next(atMost: 2)
        #expect(found.map(\.defect) == [isSaid ? .otherMessageInside : nil])
    }

    @Test func anEmlThatBeginsWithAFromLineIsOneMessage() async throws {
        let text = "From a Mon Jan  1 10:00:00 2026\nA: 1\n\nFrom b Mon Jan  1 10:00:00 2026\n"
        #expect(try await collect(["in/x.eml": text]).map(\.text) == [text])
    }

    @Test func linesAcrossChunksAreUnquotedAndCutRight() async throws {
        let long = String(repeating: "x", count: 256 * 1024 - 40)
        let first = "A: 1\n\n\(long)\n>From me\n" + String(repeating: ">From y\n", count: 50_000)
        let mbox = "From a 10:00\n\(first)\nFrom b 10:00\nB: 2\n"
        let plain = first.replacingOccurrences(of: "\n>From", with: "\nFrom")
        #expect(try await collect(["in/mail.mbox": mbox]).map(\.text) == [plain, "B: 2\n"])
    }

    @Test func whatCannotBeReadIsToldAndTheRestGoesOn() async throws {
        let source = FileSource(paths: ["/nonexistent/x.eml", "/dev/null"])
        for _ in 0..<2 {
            let pending = try #require(await source.next(atMost: 1).first)
            #expect(throws: SourceError.self) { _ = try pending.spool(SpoolDirectory(path: "/tmp")) }
        }
        #expect(await source.next(atMost: 2).isEmpty)
    }
}
