import Foundation
import FundCore
import MailSend
import TestSupport
import Testing

/// Two served stores that answer mail, each a user of the other: a mail has one receipt, and that has none.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable)) struct AnsweringServersTests {
    /// One store with its mailbox and the server that takes its letters.
    private struct Side {
        let domain: String
        let server: FundmailServer
        let submission: SubmissionServer

        var address: String { "funds@\(domain)" }
        var mailbox: String { "answering-\(domain)" }

        init(_ domain: String, knowing other: String) async throws {
            self.domain = domain
            let (dovecot, authority) = (try DovecotServer.shared.get(), try TestAuthority.shared.get().caFile)
            submission = try SubmissionServer(.smtps)
            let sections = """
                smtp:
                  url: smtps://localhost:\(submission.port)
                  user: ann
                  password: sesame
                  tls_ca_file: \(authority)
                  from: Fundmail <funds@\(domain)>
                mailboxes:
                  - name: funds
                    url: imaps://answering-\(domain)@localhost:\(dovecot.ports.imaps)
                    password: \(DovecotServer.password)
                    tls_ca_file: \(authority)
                    after: delete
                    trust: {authserv_id: mx.\(domain), require: dmarc}
                    receipts: all
                """
            server = try await FundmailServer(sections: [sections])
            let done = try await server.store.run("user", "address", "add", FundmailServer.user, "funds@\(other)")
            try #require(done.isSuccess, "\(done)")
        }

        /// Puts mail into the mailbox as its server does, which checked who sent it.
        func deliver(_ mail: [UInt8], from domain: String, returnPath: String?) throws {
            var fields = "Authentication-Results: mx.\(self.domain); dmarc=pass header.from=\(domain)\r\n"
            if let returnPath { fields = "Return-Path: <\(returnPath)>\r\n" + fields }
            try DovecotServer.shared.get().deliver(Array(fields.utf8) + mail, to: mailbox)
        }

        /// Recipients of the letters that went out, in their order.
        func recipients() throws -> [String] {
            try (1...max(1, submission.letters.count)).flatMap { number in
                try submission.letters.isEmpty ? [] : submission.facts(number).to
            }
        }

        /// Waits until so many letters went out; gives the last one with its envelope's sender.
        func letter(_ count: Int) async throws -> (bytes: [UInt8], from: String) {
            let isThere = try await becomesTrue { try submission.letters.count >= count }
            try #require(isThere, "\(domain): \(server.log)")
            return (try TestFile.read("\(submission.folder)/\(count).eml"), try submission.facts(count).from)
        }
    }

    private static func mail(_ subject: String, from: String, to: String) throws -> [UInt8] {
        let letter = OutgoingMessage(
            from: Correspondent(address: try OutgoingAddress(from)),
            to: [Correspondent(address: try OutgoingAddress(to))], subject: subject, text: "x", date: .now)
        return try MessageWriter.data(of: letter).collect()
    }

    /// The mail without some fields, as a gateway on the way may take them off.
    private static func stripped(_ mail: [UInt8], of names: Set<String>) -> [UInt8] {
        let text = String(decoding: mail, as: UTF8.self)
        let end = text.range(of: "\r\n\r\n")?.lowerBound ?? text.endIndex
        var (lines, isLeftOut): ([Substring], Bool) = ([], false)
        for line in text[..<end].split(separator: "\r\n") {
            if line.first != " ", line.first != "\t" {
                isLeftOut = names.contains(line.prefix { $0 != ":" }.lowercased())
            }
            if !isLeftOut { lines.append(line) }
        }
        return Array((lines.joined(separator: "\r\n") + text[end...]).utf8)
    }

    /// The marks of a receipt; a gateway may take off all but one.
    private static let marks = ["auto-submitted", "x-fundmail-loop", "return-path"]

    @Test func aReceiptHasNoReceipt() async throws {
        let first = try await Side("a.example", knowing: "b.example")
        let second = try await Side("b.example", knowing: "a.example")
        defer {
            first.submission.stop()
            second.submission.stop()
        }
        for (number, kept) in (Self.marks + ["all"]).enumerated() {
            // The first one answers the mail of the second one, once.
            try first.deliver(
                Self.mail("[Fund1] \(number)", from: second.address, to: first.address), from: second.domain,
                returnPath: second.address)
            let receipt = try await first.letter(number + 1)
            #expect(try first.submission.facts(number + 1).to == [second.address] && receipt.from == "<>")
            let names = kept == "all" ? [] : Set(Self.marks).subtracting([kept])
            let returnPath = kept == "all" || kept == "return-path" ? "" : first.address
            try second.deliver(
                Self.stripped(receipt.bytes, of: names), from: first.domain, returnPath: returnPath)
            // A person's mail behind it gets a receipt; the receipt got none before.
            try second.deliver(
                Self.mail("[Fund1] from a person \(number)", from: FundmailServer.user, to: second.address),
                from: "example.com", returnPath: FundmailServer.user)
            _ = try await second.letter(number + 1)
            #expect(try second.recipients() == Array(repeating: FundmailServer.user, count: number + 1), "\(kept)")
        }
        #expect(try first.recipients() == Array(repeating: second.address, count: Self.marks.count + 1))
        try await first.server.stop()
        try await second.server.stop()
    }
}
