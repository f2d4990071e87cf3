import Foundation
import FundCore
import TestSupport
import Testing

@testable import MailParse

/// Reports of mail servers, through real children.
@Suite(.startsPrograms) struct DeliveryReportTests {
    /// A report of a mail server, also one that is encoded; not one in a message that is attached.
    @Test func reportsOfMailServers() async throws {
        let status =
            "Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; a@x.org\nAction: failed\nStatus: 5.2.2 (full)\n"
        func report(_ type: String, _ body: String, _ fields: String = "") -> String {
            """
            Delivered-To: funds+b.1.x@corp.example
            X-Original-To:  other@corp.example
            Content-Type: multipart/report; report-type=delivery-status; boundary=b

            --b
            Content-Type: text/plain

            It came back.
            --b
            Content-Type: \(type)
            \(fields)
            \(body)
            --b--

            """
        }
        let expected = DeliveryReport(entries: [.init(action: "failed", status: "5.2.2", diagnostic: nil)])
        let plain = try #require(try await PoolHarness().parse(report("message/delivery-status", status)).message)
        #expect(plain.report == expected && plain.header.automatic.reportType == "delivery-status")
        #expect(plain.header.envelopeRecipients == ["funds+b.1.x@corp.example", "other@corp.example"])
        let coded = report(
            "message/global-delivery-status", Data(status.utf8).base64EncodedString(),
            "Content-Transfer-Encoding: base64\n")
        #expect(try await PoolHarness().parse(coded).message?.report == expected)
        let nested = "Content-Type: message/rfc822\n\n" + report("message/delivery-status", status)
        #expect(try await PoolHarness().parse(nested).message?.report == nil)
        let large = report("message/delivery-status", status + String(repeating: "X: y\n", count: 20_000))
        #expect(try await PoolHarness().parse(large).message?.report == nil)
    }
}
