import Testing

@testable import FundmailCLI

@Suite struct PEMTextTests {
    @Test func findsCertificatesAmongOtherThings() {
        let one = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n"
        let text = "subject=CN\n\(one)-----BEGIN PRIVATE KEY-----\nBAUG\n-----END PRIVATE KEY-----\n" + one
        #expect(PEMText(text).certificates == [one, one])
        #expect(PEMText(text).binary == [[1, 2, 3], [1, 2, 3]])
        #expect(PEMText(one.replacing("\n", with: "\r\n")).binary == [[1, 2, 3]])
    }

    @Test(arguments: ["", "-----BEGIN CERTIFICATE-----\nAQID\n", "-----END CERTIFICATE-----", "AQID"])
    func findsNone(text: String) { #expect(PEMText(text).certificates.isEmpty) }

    @Test func brokenOnesHaveNoBytes() {
        #expect(PEMText("-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n").binary == nil)
    }
}
