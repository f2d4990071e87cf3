import FundCore
import Testing

@testable import MailParse

/// Marks by which a program knows that it must not answer (RFC 3834 §2), from the header as it came.
@Suite struct AutomaticMarkTests {
    @Test(arguments: [
        ("Subject: x", true), ("Auto-Submitted: no", true), ("Auto-Submitted: No (really)", true),
        ("Auto-Submitted: auto-generated", false), ("Auto-Submitted: auto-replied; owner-email=\"a@b\"", false),
        ("Precedence: first-class", true), ("Precedence: Bulk", false), ("precedence: list", false),
        ("Precedence: junk", false), ("Precedence: auto_reply", false), ("Return-Path: <ann@example.com>", true),
        ("Return-Path: <>", false), ("Return-Path: < >", false), ("List-Id: <x.example.com>", false),
        ("LIST-UNSUBSCRIBE: <https://x.example/>", false), ("List-Software: x", false), ("List-Archive: <x>", false),
        ("Return-Path: <MAILER-DAEMON>", false), ("Return-Path: <MAILER-DAEMON@example.com>", false),
        ("Auto-Submitted: no\nAuto-Submitted: auto-replied", false),
        ("Auto-Submitted: auto-replied\nAuto-Submitted: no", false), ("X-Loop: x@example.com", false),
        ("X-Mailing-List: x", false), ("X-Mailman-Version: 2.1", false), ("Feedback-ID: 1:x", false),
        ("Mailing-List: list x@example.com", false), ("X-BeenThere: x@example.com", false),
        ("Listing: of files", true), ("X-Auto-Response-Suppress: None", true), ("X-Auto-Response-Suppress:", true),
        ("X-Auto-Response-Suppress: All", false), ("X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply", false),
        ("X-Auto-Response-Suppress: OOF", false), ("x-auto-response-suppress:\n RN", false),
        ("X-Autoreply: yes", false), ("X-Fundmail-Loop: funds@corp.example", false),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=b", false),
        ("Content-Type: multipart/mixed; boundary=b", true),
    ])
    func whatMayBeAnswered(_ field: String, isAnswered: Bool) {
        let block = HeaderBlock(Array("From: ann@example.com\n\(field)\n".utf8))
        let header = MessageHeaderReader(charsets: CharsetDecoder()).read(block).header
        #expect(header.automatic.allowsAnswer == isAnswered)
    }
}
