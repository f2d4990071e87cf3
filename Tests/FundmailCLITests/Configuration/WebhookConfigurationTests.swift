import FundCore
import MailSend
import Testing

@testable import FundmailCLI

/// The section `webhooks`.
struct WebhookConfigurationTests {
    private static func configuration(_ text: String) throws -> Configuration {
        try ConfigurationDecoder.decode("store: s\n\(text)\n", file: "/etc/f.yaml")
    }

    @Test func isOnUnlessItIsOff() throws {
        #expect(try Self.configuration("").webhooks == WebhookRules())
        #expect(try Self.configuration("webhooks: on").webhooks == WebhookRules())
        #expect(try Self.configuration("webhooks: off").webhooks == nil)
        let rules = try #require(
            try Self.configuration(
                #"webhooks: {private_hosts: ["127.0.0.1:9000", H.example], tls_ca_file: ca.pem}"#
            ).webhooks)
        #expect(rules.privateHosts.map(\.description) == ["127.0.0.1:9000", "h.example"])
        #expect(rules.authorityFile == "/etc/ca.pem")
    }

    @Test(arguments: [
        "webhooks: maybe", "webhooks: {hosts: [h.example]}", #"webhooks: {private_hosts: ["https://h"]}"#,
    ])
    func refusesOthers(_ text: String) {
        #expect(throws: (any Error).self) { _ = try Self.configuration(text) }
    }

    @Test func changesHoldFromTheNextStart() throws {
        let (old, new) = (try Self.configuration(""), try Self.configuration("webhooks: off"))
        let (merged, changes) = LiveConfiguration.merge(new, into: old)
        #expect(changes.pending == ["webhooks"] && merged.webhooks == old.webhooks)
    }
}
