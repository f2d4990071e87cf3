import FundCore
import TestSupport
import Testing

@testable import MailSend

/// Digests: what they say, and that nothing that people wrote gets out of its place.
@Suite struct DigestComposerTests {
    static func news(
        _ subject: String? = "Q3 report", fund: String = "Fund1", files: [String] = [], name: String? = "Ann Archer",
        language: PersonLanguage? = nil, mailCount: Int = 1, fundCount: Int = 1
    ) -> LetterFacts {
        .news(
            NewsFacts(
                recipient: NotificationRecipient(user: 7, name: name, language: language),
                funds: [
                    .init(
                        id: 3, name: fund, mails: [.init(id: 34, subject: subject, fileCount: 2)],
                        mailCount: mailCount,
                        files: files.enumerated().map { .init(id: .init(Int64($0) + 12), name: $1, size: 1_300_000) },
                        fileCount: files.count)
                ], fundCount: fundCount, mailCount: mailCount, fileCount: files.count))
    }

    static func desk(
        _ subject: String? = "Q4 figures", sender: String = "ann@example.com", name: String? = nil,
        language: PersonLanguage? = nil
    ) -> LetterFacts {
        .desk(
            DeskFacts(
                recipient: NotificationRecipient(user: 7, name: name, language: language), count: 3, newCount: 1,
                causes: [.init(.unknownSender, 2), .init(.noTag, 1)],
                messages: [.init(id: 5, sender: sender, subject: subject)]))
    }

    static func message(
        _ facts: LetterFacts, pages: String? = "https://funds.corp.example"
    ) async throws -> OutgoingMessage {
        let composer = DigestComposer(facts: FixedFacts(facts: facts)) {
            LetterPlaces(pages: pages, maxMessageBytes: 1)
        } token: { user, kind in
            "\(kind.rawValue)-\(user)"
        }
        guard case .message(let message) = try await composer.compose(letter, from: ReceiptComposerTests.sender) else {
            throw Missing()
        }
        return message
    }

    private static var letter: OutboxLetter { ReceiptComposerTests.letter(.news(1)) }
    private struct Missing: Error {}

    // MARK: What they say

    @Test func newsOfOneFund() async throws {
        let message = try await Self.message(Self.news(files: ["theirs.pdf"], mailCount: 3))
        #expect(message.subject == "New in your funds: 3 mails, 1 file" && message.origin == .generated)
        #expect(message.unsubscribe == "https://funds.corp.example/unsubscribe/news-7")
        #expect(message.to == [Correspondent(name: "Ann Archer", address: TestLetter.recipient)])
        #expect(
            message.text == """
                3 mails, 1 file came into one of your funds.

                [Fund1]: 3 mails, 1 file
                https://funds.corp.example/library/funds/3
                - Q3 report (2 files)
                  https://funds.corp.example/library/emails/34
                - and 2 mails more
                - theirs.pdf (1.3 MB)
                  https://funds.corp.example/library/files/12

                Fundmail wrote this letter by itself.
                You choose what you hear of, and how often:
                https://funds.corp.example/account
                To get no more of these letters:
                https://funds.corp.example/unsubscribe/news-7

                """)
    }

    @Test func theDesk() async throws {
        let message = try await Self.message(Self.desk())
        #expect(message.subject == "At the desk: 3 mails wait, 1 new")
        #expect(
            message.text == """
                3 mails wait at the desk, 1 new.
                https://funds.corp.example/desk

                - 2 × the sender is not registered
                - 1 × no fund in the subject

                New from people who are registered:
                - ann@example.com: Q4 figures
                  https://funds.corp.example/desk/messages/5

                Fundmail wrote this letter by itself.
                You choose what you hear of, and how often:
                https://funds.corp.example/account
                To get no more of these letters:
                https://funds.corp.example/unsubscribe/desk-7

                """)
    }

    @Test func withoutTLSNothingEndsThem() async throws {
        for pages in ["http://funds.corp.example", nil] {
            let message = try await Self.message(Self.news(mailCount: 2, fundCount: 4), pages: pages)
            #expect(message.unsubscribe == nil && !message.text.contains("/unsubscribe/"))
            #expect(message.text.contains("/account") == (pages != nil))
            #expect(message.text.contains("And 3 more of your funds."))
        }
    }

    /// The person's language counts; without it that of what is told.
    @Test(
        arguments: [
            (news("季度报告"), true), (news("季度报告", language: .en), false), (news(language: .zh), true),
            (news(nil, fund: "绿洲基金"), true), (news(nil), false), (desk(language: .zh), true), (desk("报告"), true),
            (desk(), false),
        ] as [(LetterFacts, Bool)])
    func languages(_ facts: LetterFacts, isChinese: Bool) async throws {
        let message = try await Self.message(facts)
        #expect(message.text.contains("此信由 Fundmail 自动发送。") == isChinese)
        #expect(message.subject.contains("您的基金有新内容") || message.subject.contains("待处理") == isChinese || !isChinese)
    }

    @Test func otherLettersAreNotItsOwn() async throws {
        let composer = DigestComposer(facts: FixedFacts(facts: ReceiptComposerTests.filed())) {
            LetterPlaces(pages: nil, maxMessageBytes: 1)
        } token: { _, _ in
            ""
        }
        guard case .dropped = try await composer.compose(Self.letter, from: ReceiptComposerTests.sender) else {
            return #expect(Bool(false))
        }
    }

    /// Names that mail programs would make links of.
    @Test(arguments: [
        "see www.evil.example now.txt", "https://evil.example/login", "mailto:x@evil.example", "https:e.txt",
    ])
    func namesBecomeNoLinks(_ name: String) async throws {
        for facts in [Self.news(name, files: [name]), Self.desk(name)] {
            let text = try await Self.message(facts).text
            #expect(!text.contains(name) && !text.contains("www.") && !text.contains("https://evil"), "\(text)")
        }
    }

    // MARK: In bytes

    @Test func theHeaderEndsThemWithOneClick() async throws {
        // A longer address stands on a line of its own.
        let message = try await Self.message(Self.news(), pages: "https://f.example")
        let text = String(decoding: try MessageWriter.data(of: message).collect(), as: UTF8.self)
        #expect(
            text.contains(
                """
                List-Unsubscribe: <https://f.example/unsubscribe/news-7>\r
                List-Unsubscribe-Post: List-Unsubscribe=One-Click
                """), "\(text)")
        #expect(text.contains("Auto-Submitted: auto-generated\r\n") && text.contains("X-Fundmail-Loop: "))
    }

    @Test(
        arguments: [
            "http://funds.corp.example/x", "https://a/\r\nBcc: eve@evil.example", "https://a/>,<https://b/",
            "https://a b",
            "", "https://" + String(repeating: "x", count: 2000), "https://ä",
        ])
    func noOtherAddressEndsThem(_ address: String) async throws {
        var message = try await Self.message(Self.news())
        message.unsubscribe = address
        #expect(throws: MessageError.self) { try MessageWriter.data(of: message) }
    }

    /// Digests in which hostile text stands wherever it can.
    static func hostileDigests() async throws -> [OutgoingMessage] {
        var letters: [OutgoingMessage] = []
        for text in ReceiptComposerTests.attacks {
            letters.append(try await message(news(text, fund: text, files: [text, text], name: text)))
            letters.append(try await message(desk(text, sender: text, name: text)))
        }
        return letters
    }

    @Test func hostileTextStaysInItsPlace() async throws {
        let usual = try await [Self.message(Self.news(files: ["a", "b"])), Self.message(Self.desk())].map {
            $0.text.split(separator: "\n", omittingEmptySubsequences: false).count
        }
        for message in try await Self.hostileDigests() {
            let data = try MessageWriter.data(of: message)
            let shown = "\(String(decoding: try data.collect().prefix(2000), as: UTF8.self))"
            let lines = message.text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(usual.contains(lines) && data.size < 8000, "\(shown)")
            let scalars = message.text.unicodeScalars
            #expect(scalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "\(shown)")
            #expect(!scalars.contains { (0x202A...0x202E).contains($0.value) } && message.text.isStreamSafe, "\(shown)")
        }
    }
}
