import FundCore
import TestSupport
import Testing

@testable import MailConnection

/// Expiry dates of certificates as OpenSSL prints them.
@Suite struct CertificateExpiryTests {
    @Test(
        arguments: [
            ("Dec  5 12:00:00 2026 GMT", 1_796_472_000), ("Jan 12 00:00:09 2038 GMT", 2_146_867_209),
            ("", nil), ("soon", nil),
        ] as [(String, Timestamp?)])
    func dates(text: String, time: Timestamp?) { #expect(CertificateExpiry.time(text) == time) }
}
