import FundCore
import TestSupport
import Testing

@testable import Ingest

/// Reports about letters, and what is none.
@Suite struct BounceReaderTests {
    private static let mark = "funds+b.7.2.x@corp.example"

    private static let attempt = OutboxAttempt(letter: 7, number: 2)

    private func bounce(
        to address: String = mark, report: DeliveryReport? = nil, text: String? = nil,
        _ change: (inout MessageHeader) -> Void = { _ in }
    ) throws -> Bounce? {
        var header = MessageHeader()
        header.to = [NamedAddress(address: address)]
        header.from = [AddressField(addresses: [NamedAddress(address: "MAILER-DAEMON@mx.example")])]
        change(&header)
        let parsed = ParseResult.message(ParsedMessage(header: header, text: text, report: report))
        return try BounceReader { $0 == Self.mark ? Self.attempt : nil }.bounce(in: parsed)
    }

    private func entry(_ action: String, _ status: String, _ diagnostic: String? = nil) -> DeliveryReport {
        DeliveryReport(entries: [DeliveryReport.Entry(action: action, status: status, diagnostic: diagnostic)])
    }

    @Test func reportsOfServers() throws {
        let failed = try bounce(report: entry("failed", "5.1.1", "550 5.1.1 no such user")) {
            $0.automatic.reportType = "delivery-status"
            $0.automatic.autoSubmitted = "auto-replied"
        }
        #expect(
            failed
                == Bounce(
                    attempt: Self.attempt, finding: .failed, status: "5.1.1", reason: "550 5.1.1 no such user"))
        let late = try bounce(report: entry("delayed", "4.4.1")) { $0.automatic.reportType = "delivery-status" }
        #expect(late?.finding == .delayed && late?.status == "4.4.1")
        for action in ["delivered", "relayed", "expanded", "x-other"] {
            let found = try bounce(report: entry(action, "2.0.0")) { $0.automatic.reportType = "delivery-status" }
            #expect(found?.finding == .other, "\(action)")
        }
        // The failure counts, wherever it stands.
        let mixed = DeliveryReport(entries: entry("delivered", "2.0.0").entries + entry("failed", "5.2.2").entries)
        #expect(try bounce(report: mixed)?.finding == .failed)
    }

    @Test func addressesOfTheEnvelope() throws {
        let found = try bounce(to: "undisclosed@example.com", report: entry("failed", "5.0.0")) {
            $0.envelopeRecipients = ["other@example.com", Self.mark]
        }
        #expect(found?.letter == 7)
        #expect(try bounce(to: "funds+b.7.y@corp.example", report: entry("failed", "5.0.0")) == nil)
        #expect(try bounce(to: "funds@corp.example", report: entry("failed", "5.0.0")) == nil)
    }

    /// qmail and Exim tell it in plain words.
    @Test func plainReports() throws {
        let text = """
            Hi. This is the qmail-send program at mx.example.
            I'm afraid I wasn't able to deliver your message to the following addresses.

            <cy@corp.example>:
            192.0.2.1 does not like recipient.
            Remote host said: 550 5.1.1 <cy@corp.example>: unknown
            """
        let found = try bounce(text: text) { $0.automatic.hasNullReturnPath = true }
        #expect(found?.finding == .failed && found?.status == "5.1.1")
        #expect(found?.reason == "Remote host said: 550 5.1.1 <cy@corp.example>: unknown")
        let exim = try bounce(text: "cy@corp.example\n  mailbox is full") {
            $0.automatic.autoSubmitted = "auto-replied"
            $0.automatic.responderFields = ["x-failed-recipients"]
            $0.subjects = ["Mail delivery failed: returning message to sender"]
        }
        #expect(exim?.finding == .failed && exim?.status == nil && exim?.reason.contains("does not say why") == true)
        let late = try bounce { $0.subjects = ["Warning: message 1abc delayed 24 hours"] }
        #expect(late?.finding == .delayed)
        let refused = ParseResult.refused(.tooLarge, detail: "", header: nil, defects: [])
        #expect(try BounceReader { _ in Self.attempt }.bounce(in: refused) == nil)
    }

    /// Answers of people's programs go to the return path, too (RFC 3834 §4).
    @Test func answersAreNone() throws {
        func person(_ header: inout MessageHeader) {
            header.from = [AddressField(addresses: [NamedAddress(address: "cy@corp.example")])]
        }
        let away = try bounce(text: "I am away. 5.1.1") {
            person(&$0)
            ($0.automatic.hasNullReturnPath, $0.automatic.autoSubmitted) = (true, "auto-replied")
        }
        #expect(away == nil)
        let responder = try bounce {
            person(&$0)
            ($0.automatic.hasNullReturnPath, $0.automatic.responderFields) = (true, ["x-autoreply"])
        }
        #expect(responder == nil)
        let read = try bounce {
            person(&$0)
            $0.automatic.reportType = "disposition-notification"
        }
        #expect(read == nil)
        let written = try bounce(text: "What do you mean?") { person(&$0) }
        #expect(written == nil)
    }
}
