import Foundation
import FundCore
import Ingest
import TestSupport
import Testing

@testable import MailParse
@testable import MailSend

/// Facts that are always the same.
struct FixedFacts: LetterFactReading {
    let facts: LetterFacts

    func facts(of letter: OutboxLetter) -> LetterFacts { facts }
}

/// Letters to senders about their mail: what they say, and that nothing of the mail gets out of its place.
@Suite struct ReceiptComposerTests {
    static let sender = Correspondent(name: "Fundmail", address: TestLetter.sender)

    static func letter(_ cause: OutboxCause = .filed(34)) -> OutboxLetter {
        OutboxLetter(
            id: 1, cause: cause, recipient: "ann@example.com", mark: String(repeating: "a", count: 32), state: .sending,
            attempts: 1, queuedAt: Timestamp(0), dueAt: nil, changedAt: nil, note: nil)
    }

    static func filed(
        _ subject: String? = "[Fund1] Q3 report", files: [String] = ["report.pdf", "summary.xlsx"],
        fund: String = "Fund1", name: String? = "Ann Archer"
    ) -> LetterFacts {
        .filed(
            FiledMailFacts(
                mail: AnsweredMail(subject: subject, messageID: "q3@example.com", recipientName: name), email: 34,
                fund: fund,
                files: files.enumerated().map { .init(id: .init(Int64($0) + 12), name: $1, size: 1_300_000) },
                fileCount: files.count))
    }

    static func kept(
        _ reason: Reason, _ subject: String? = "Q3 report", tag: String? = nil, suggestions: [String] = [],
        funds: [String] = ["Fund1", "Alpha"], count: Int = 2
    ) -> LetterFacts {
        .kept(
            KeptMailFacts(
                mail: AnsweredMail(subject: subject, messageID: nil, recipientName: nil), received: 5, reason: reason,
                tag: tag, suggestions: suggestions, funds: funds, fundCount: count, isForSender: reason.isAboutFund))
    }

    static func message(
        _ facts: LetterFacts, _ cause: OutboxCause = .filed(34), pages: String? = "https://funds.corp.example"
    ) async throws -> OutgoingMessage {
        let composer = LetterWriter(facts: FixedFacts(facts: facts), contents: { _ in throw Missing() }) {
            LetterPlaces(pages: pages, maxMessageBytes: 100_000_000)
        }
        let composed = try await composer.compose(letter(cause), from: sender)
        guard case .message(let message) = composed else { throw Missing() }
        return message
    }

    private struct Missing: Error {}

    // MARK: What they say

    @Test func mailThatWasFiled() async throws {
        let message = try await Self.message(Self.filed())
        #expect(message.subject == "Re: [Fund1] Q3 report" && message.origin == .replied)
        #expect(message.inReplyTo?.description == "q3@example.com" && message.references.count == 1)
        #expect(message.to == [Correspondent(name: "Ann Archer", address: TestLetter.recipient)])
        #expect(
            message.text == """
                Your mail “[Fund1] Q3 report” is filed in [Fund1].

                Its 2 files:
                - report.pdf (1.3 MB)
                  https://funds.corp.example/library/files/12
                - summary.xlsx (1.3 MB)
                  https://funds.corp.example/library/files/13

                The mail:
                https://funds.corp.example/library/emails/34

                Fundmail wrote this letter by itself. You choose which letters you get:
                https://funds.corp.example/account

                """)
    }

    @Test func withoutTheAddressOfThePages() async throws {
        let later = try await Self.message(
            Self.filed("[fnd1]", files: ["a.pdf"]), .filedLater(34), pages: nil)
        #expect(
            later.text == """
                Your mail “[fnd1]” waited, and is filed in [Fund1] now.

                Its file:
                - a.pdf (1.3 MB)

                Next time, begin the subject with [Fund1].

                Fundmail wrote this letter by itself.

                """)
        let bare = try await Self.message(Self.filed(nil, files: [], name: nil), pages: nil)
        #expect(
            bare.subject == "Your mail" && bare.text.hasPrefix("Your mail is filed in [Fund1].\n\nIt has no files."))
        #expect(bare.to == [Correspondent(address: TestLetter.recipient)])
    }

    @Test(
        arguments: [
            (
                kept(.noTag),
                [
                    "its subject names no fund in brackets", "Your funds: [Fund1]; [Alpha]", "/library/sent/5",
                    "It is kept",
                ]
            ),
            (
                kept(.unknownFund, "[Fnd1] Q3", tag: "Fnd1", suggestions: ["Fund1"], count: 9),
                ["[Fnd1] is none of them. Did you mean [Fund1]?", "[Fund1]; [Alpha] and 7 more"]
            ),
            (kept(.unknownFund, tag: "x"), ["[x] is none of them."]),
            (
                kept(.ambiguousFund, tag: "twin", suggestions: ["Fund1", "Alpha"]),
                ["[twin] fits several: [Fund1]; [Alpha]."]
            ),
            (kept(.noTag, funds: [], count: 0), ["You have no fund yet"]),
            (kept(.ambiguousSubject), ["it has more than one subject", "Send it again with one subject."]),
            (kept(.tooLarge), ["is not filed: it is too large", "A mail may have 100 MB", "corp.example/\n"]),
            (kept(.noTag, "[EXTERNAL] 季度报告"), ["尚未存入：主题中没有用方括号写明基金。", "您的基金：[Fund1]、[Alpha]", "管理员"]),
            (kept(.tooLarge, "季度报告"), ["未存入：邮件过大。", "100 MB"]),
        ] as [(LetterFacts, [String])])
    func mailThatWaits(_ facts: LetterFacts, _ words: [String]) async throws {
        let text = try await Self.message(facts, .kept(3)).text
        for word in words { #expect(text.contains(word), "\(text)") }
    }

    @Test func whatIsGoneIsDropped() async throws {
        let facts = FixedFacts(facts: .gone("it was deleted"))
        let composer = LetterWriter(facts: facts, contents: { _ in throw Missing() }) {
            LetterPlaces(pages: nil, maxMessageBytes: 1)
        }
        let composed = try await composer.compose(Self.letter(), from: Self.sender)
        #expect(composed == .dropped("it was deleted"))
    }

    @Test(
        arguments: [
            ("[Fund1] Q3", "Fund1", false), ("[基金一] Q3 report", "基金一", false), ("[Fund1] 季度报告", "Fund1", true),
            ("回复：[Fund1] 报告", "Fund1", true), ("【基金一】", "基金一", true), (nil, "基金一", true), (nil, nil, false),
            ("[Fund1] 四半期レポート", "Fund1", false), ("[Fund1] 분기 報告", "Fund1", false), ("[Fund1] 2026", "基金", false),
        ] as [(String?, String?, Bool)])
    func languages(_ subject: String?, _ fund: String?, isChinese: Bool) {
        #expect((LetterLanguage(of: subject, fund: fund) == .zh) == isChinese)
    }

    /// The reasons read as on the page about what happened to one's mail.
    @Test(arguments: [Reason.noTag, .unknownFund, .ambiguousFund, .ambiguousSubject, .tooLarge])
    func reasonsReadAsOnThePage(_ reason: Reason) async throws {
        let table = try String(
            contentsOfFile: "\(PackageRoot.path)/Sources/FundServer/Pages/words.tsv", encoding: .utf8)
        let row = try #require(table.split(separator: "\n").first { $0.hasPrefix("reason.\(reason.rawValue)\t") })
        let words = row.split(separator: "\t")
        #expect(try await Self.message(Self.kept(reason), .kept(3)).text.contains(": \(words[1])."))
        #expect(try await Self.message(Self.kept(reason, "报告"), .kept(3)).text.contains("：\(words[2])。"))
    }

    // MARK: Hostile mail

    static let attacks = [
        "a\r\nBcc: eve@evil.example\r\n\r\nHello", "a\nb", "a\rb", "a\u{0}b", "\u{1B}[2J", "a\u{85}b\u{2028}c",
        "\u{202E}fdp.exe", "\u{2067}x\u{2069}", "=?utf-8?Q?=0D=0ABcc:_eve@evil.example?=", "=?utf-8?B?eA==?=",
        marks(100_000), String(repeating: "字", count: 100_000), String(repeating: "x", count: 100_000),
        "\u{200B}\u{2060}\u{FEFF}", "\u{E0041}", "a\t b", "“quoted” 'x' \"y\"", ".\r\n.\r\n", "From ann", "שלום",
        "👩‍👩‍👧", "", " ", "]] [[", "<https://evil.example>", "a,b;c", "\u{FFFE}", "--\r\n-- \r\n",
    ]

    /// Letters in which hostile text stands wherever it can.
    static func hostileReceipts() async throws -> [OutgoingMessage] {
        var letters: [OutgoingMessage] = []
        for text in attacks {
            letters.append(try await message(filed(text, files: [text], fund: text, name: text)))
            letters.append(
                try await message(kept(.unknownFund, text, tag: text, suggestions: [text], funds: [text]), .kept(3)))
        }
        return letters
    }

    /// Letters about hostile mail have the fields of any letter, and each of their lines is one of ours.
    @Test func hostileTextStaysInItsPlace() async throws {
        let usual = Self.names(try Self.parts(MessageWriter.data(of: try await Self.message(Self.filed()))).header)
        for text in Self.attacks {
            let facts = [
                Self.filed(text), Self.filed(files: [text, "b.pdf"]), Self.filed(fund: text), Self.filed(name: text),
                Self.filed(text, files: [text], fund: text, name: text),
                Self.kept(.unknownFund, text, tag: text, suggestions: [text], funds: [text]),
                Self.kept(.ambiguousFund, text, tag: text, suggestions: [text, text], funds: [text, text]),
            ]
            for one in facts {
                let message = try await Self.message(one)
                let data = try MessageWriter.data(of: message)
                let (header, body) = try Self.parts(data)
                let shown = "\(String(decoding: try data.collect().prefix(2000), as: UTF8.self))"
                // Mail that was kept has no Message-ID in these facts.
                let answers: Set = ["in-reply-to", "references"]
                #expect(
                    Self.names(header).filter { !answers.contains($0) } == usual.filter { !answers.contains($0) },
                    "\(shown)")
                #expect(!body.isEmpty && data.size < 8000, "\(shown)")
                let scalars = message.text.unicodeScalars
                #expect(scalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "\(shown)")
                #expect(!scalars.contains { (0x202A...0x202E).contains($0.value) }, "\(shown)")
                #expect(message.text.isStreamSafe && scalars.count(where: { $0 == "\n" }) < 30, "\(shown)")
            }
        }
    }

    private static func parts(_ data: MessageData) throws -> (header: [UInt8], body: ArraySlice<UInt8>) {
        let bytes = try data.collect()
        let end = try #require(ASCII.firstIndex(of: Array("\r\n\r\n".utf8), in: bytes))
        return (Array(bytes[..<(end + 2)]), bytes[(end + 4)...])
    }

    private static func names(_ header: [UInt8]) -> [String] { block(header).fields.map(\.name) }

    private static func block(_ header: [UInt8]) -> HeaderBlock {
        var block = HeaderBlock()
        for line in header.split(separator: .lf) { Array(line).withUnsafeBytes { block.append($0) } }
        block.finish()
        return block
    }

    // MARK: Answers

    /// Two programs like this one that write to each other: the letter of the first is neither filed nor answered by
    /// the second, also where a server on the way takes off what it does not know.
    @Test(arguments: [[], ["x-fundmail-loop"], ["x-fundmail-loop", "x-auto-response-suppress"]] as [[String]])
    func aLetterIsNotAnswered(removed: [String]) async throws {
        for facts in [Self.filed(), Self.kept(.noTag, "[Fund1]")] {
            let data = try MessageWriter.data(of: try await Self.message(facts))
            let text = String(decoding: try Self.parts(data).header, as: UTF8.self)
            let lines = text.split(separator: "\r\n").filter { line in
                !removed.contains { line.lowercased().hasPrefix("\($0):") }
            }
            let result = "Authentication-Results: mx.b.example; dmarc=pass header.from=corp.example"
            let block = Self.block(Array(([result] + lines.map(String.init)).joined(separator: "\n").utf8))
            let header = MessageHeaderReader(charsets: CharsetDecoder()).read(block).header
            let funds = User(id: 1, email: "funds@corp.example")
            let directory = RoutingDirectory(
                users: [funds], addresses: [(try #require(EmailAddress(funds.email)), 1)],
                funds: [Fund(id: 1, owner: 1, name: "Fund1")])
            var policy = RoutingPolicy(trust: .dmarc(authservID: .named("mx.b.example"), ownReceivedFields: 0))
            policy.receipts = .all
            let decision = Router(directory: directory, policy: policy).route(header)
            #expect(decision.outcome == .rejected)
            #expect(decision.reason == (removed.isEmpty ? .loop : .autoReply))
            #expect(!header.automatic.allowsAnswer && decision.user == nil)
        }
    }
}
