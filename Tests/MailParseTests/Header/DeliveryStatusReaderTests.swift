import FundCore
import Testing

@testable import MailParse

/// The content of a message/delivery-status.
@Suite struct DeliveryStatusReaderTests {
    private func entries(_ text: String) -> [DeliveryReport.Entry] {
        DeliveryStatusReader.report(Array(text.utf8))?.entries ?? []
    }

    @Test func aReportOfPostfix() {
        let text = """
            Reporting-MTA: dns; mx.corp.example
            X-Postfix-Queue-ID: 4B2F1A
            Arrival-Date: Sun, 29 Nov 2026 05:00:00 +0000 (UTC)

            Final-Recipient: rfc822; cy@corp.example
            Original-Recipient: rfc822;cy@corp.example
            Action: failed
            Status: 5.1.1
            Remote-MTA: dns; mx.corp.example
            Diagnostic-Code: smtp; 550 5.1.1 <cy@corp.example>: Recipient address
                rejected: User unknown

            """
        for text in [text, text.replacing("\n", with: "\r\n")] {
            #expect(
                entries(text) == [
                    DeliveryReport.Entry(
                        action: "failed", status: "5.1.1",
                        diagnostic: "550 5.1.1 <cy@corp.example>: Recipient address rejected: User unknown")
                ])
        }
    }

    @Test func oddReports() {
        #expect(entries("") == [] && entries("Reporting-MTA: dns; x\n\n\n") == [])
        #expect(entries("ACTION : Failed (it did)\nStatus:5.0.0 (unknown)\n")[0].action == "failed")
        #expect(entries("Action: failed\nStatus:5.0.0 (unknown)\n")[0].status == "5.0.0")
        // The first of two counts, and a field of another group is another's.
        #expect(entries("Action: failed\nAction: delivered\n\nStatus: 4.0.0\n").map(\.action) == ["failed"])
        #expect(entries("Action: failed\n\nStatus: 4.0.0\n")[0].status == "")
        #expect(
            entries(" folded\nnonsense\nAction: delayed\nDiagnostic-Code: no kind at all; here\n")[0].diagnostic
                == "no kind at all; here")
        let many = String(repeating: "Action: failed\n\n", count: 1000)
        #expect(entries(many).count == DeliveryReport.maxEntries)
        let long = entries("Action: failed\nDiagnostic-Code: smtp; \(String(repeating: "é", count: 4000))\u{1B}[31m\n")
        #expect(long[0].diagnostic?.utf8.count ?? 0 <= DeliveryReport.maxTextBytes)
    }
}
