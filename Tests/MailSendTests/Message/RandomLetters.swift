import FundCore
import TestSupport

@testable import MailSend

/// Letters of random text, names and bytes, the same for the same seed.
struct RandomLetters {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let words = [
        "Q3", "report", "[Fund1]", "基金季度报告", "Übersicht", "naïve", "=?utf-8?Q?x?=", "=?", "?=", "a,b", "\"quoted\"",
        "back\\slash", "semi;colon", "<angle>", "(comment)", "@", "e\u{301}", "👩‍👩‍👧", "اردو", "\u{202E}", "50%", "'x'",
        "*", "~",
        "From", ".", "..", "--", "=", "=3D", "_", "a_b", "\u{00A0}", "longlonglonglonglonglonglonglonglonglong",
        String(repeating: "x", count: 90), String(repeating: "字", count: 60), "filename*0*=", "''", "utf-8''a",
    ]

    private mutating func pick<T>(_ list: [T]) -> T { list[Int.random(in: 0..<list.count, using: &generator)] }

    private mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    /// One line of text.
    mutating func line(words count: Int, isHeader: Bool = true) -> String {
        let separators = below(4) == 0 ? [" ", "  ", isHeader ? "" : "\t", ""] : [" "]
        var text = below(12) == 0 ? " " : ""
        for _ in 0..<below(count + 1) { text += pick(Self.words) + pick(separators) }
        return below(3) == 0 ? text : text.trimmed
    }

    mutating func letter() -> OutgoingMessage {
        var letter = OutgoingMessage(
            from: person(), to: (0...below(4)).map { _ in person() }, subject: line(words: 12), text: body(),
            date: Timestamp(Int64.random(in: 0..<4_000_000_000, using: &generator)))
        letter.replyTo = (0..<below(2)).map { _ in person() }
        letter.cc = (0..<below(3)).map { _ in person() }
        letter.references = (0..<below(30)).compactMap { MessageID("\($0).\(below(1_000_000))@\(pick(Self.domains))") }
        letter.inReplyTo = letter.references.last
        letter.origin = pick([.person, .generated, .replied])
        letter.attachments = (0..<below(4)).map { _ in attachment() }
        return letter
    }

    private static let domains = [
        "example.com", "a.very.long.name.of.a.department.of.a.company.example.org", "bücher.example",
    ]

    private mutating func person() -> Correspondent {
        let local = pick([
            "ann", "Ann.Archer", "a+b", "o'neil", "x=y", "\"ann archer\"", "1234567890.abcdefghijklmnopqrstuv",
        ])
        let address = TestLetter.address("\(local)@\(pick(Self.domains))")
        return Correspondent(name: below(4) == 0 ? nil : line(words: 4), address: address)
    }

    private mutating func body() -> String {
        (0..<below(30)).map { _ in line(words: 20, isHeader: false) + pick(["\n", "\r\n", "\n", " \n", "\n\n"]) }
            .joined()
    }

    private mutating func attachment() -> OutgoingMessage.Attachment {
        let count = pick([0, 1, 56, 57, 58, 75, 76, 77, 1000, 70_000])
        let type = pick([
            "application/pdf", "text/plain", "text/csv", "image/png", "message/rfc822", "Application/X-Y+z",
        ])
        var name = line(words: 5).trimmed
        if name.isEmpty { name = "file" }
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let isStored = below(2) == 0
        return OutgoingMessage.Attachment(
            name: name, contentType: type,
            content: isStored
                ? .stored(.init(PersonalLetterComposerTests.Content(bytes: bytes))) : .bytes(bytes))
    }
}

extension OutgoingMessage {
    /// The text as mail has it: LF here, and a line end behind the last line.
    var expectedText: String {
        let text = text.replacing("\r\n", with: "\n")
        return text.isEmpty || text.utf8.last == .lf ? text : text + "\n"
    }

    /// A type that mail may not encode goes as bytes.
    static func expectedType(_ type: String) -> String {
        type.hasPrefix("message/") ? "application/octet-stream" : type.lowercased()
    }
}
