import FundClient
import Foundation
import TestSupport
import Testing

@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct MailTests {
    @Test func readsSearchesAndLoadsMail() async throws {
        try await withSession(messages: CrashMail.messages(16)) { session in
            let fund = try #require(try await session.fundSummaries().first { $0.emailCount > 0 })
            var emails: [EmailSummary] = []
            var cursor: PageCursor?
            repeat {
                let page = try await session.emails(EmailFilter(fund: fund.id), after: cursor, limit: 2)
                emails += page.elements
                cursor = page.next
            } while cursor != nil
            #expect(Int64(emails.count) == fund.emailCount && Set(emails.map(\.id)).count == emails.count)
            #expect(try await session.emails(EmailFilter(sender: "nobody@")).elements.isEmpty)

            let summary = try #require(emails.first { $0.attachmentCount > 0 })
            let email = try await session.email(summary.id)
            #expect(email.text?.hasPrefix("Hello") == true && email.subject == summary.subject)
            for attachment in email.attachments {
                let content = try await session.content(of: .attachment(attachment.id))
                let bytes = try await collect(content)
                #expect(Int64(bytes.count) == attachment.size && content.digest == attachment.digest)
                let rest = try await session.content(
                    of: .attachment(attachment.id), from: 5, ifRange: attachment.digest)
                #expect(try await collect(rest) == Array(bytes[5...]) && rest.offset == 5)
            }
            let raw = try await collect(try await session.content(of: .email(email.id)))
            #expect(String(decoding: raw, as: UTF8.self).contains("Message-ID: <crash."))

            let hits = try await session.search("hello", SearchFilter(fund: fund.id, kind: .email)).elements
            #expect(hits.contains { $0.id == email.id.value && $0.kind == .email && $0.fundName == fund.fund.name })
            #expect(hits.first?.excerpt.contains { $0.isMatch } == true)

            try await session.delete(email.id)
            #expect(await code { _ = try await session.email(email.id) } == .notFound)
            #expect(try await session.restore(email.id).deletedAt == nil)
        }
    }
}
