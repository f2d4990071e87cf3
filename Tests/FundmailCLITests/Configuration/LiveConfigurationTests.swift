import TestSupport
import FundCore
import MailWatch
import Testing

@testable import FundmailCLI

/// Changes that a reload makes at once, and those that only a new start makes.
@Suite struct LiveConfigurationTests {
    private static func configuration(_ text: String) throws -> Configuration {
        try ConfigurationDecoder.decode(text, file: "/etc/fm/fundmail.yaml")
    }

    private static func mailbox(_ name: String, _ more: String = "") -> String {
        """

          - name: \(name)
            url: imaps://\(name)@mail.c.example/INBOX
            password_env: P
            trust: {require: none}
            \(more)
        """
    }

    private static let start =
        "store: s\nserver: {listen: 127.0.0.1:1, tls: {certificate: c, key: k}}\nmailboxes:" + mailbox("a")
        + mailbox("b")

    private static let cases: [(text: String, applied: [String], pending: [String])] = [
        (start, [], []),
        (start.replacing(mailbox("b"), with: ""), ["mailbox b removed"], []),
        (start + mailbox("c"), ["mailbox c added"], []),
        (
            start.replacing(mailbox("b"), with: mailbox("b", "interval: 5s")) + "\nretention: {raw: 5}",
            ["mailbox b changed", "retention"], []
        ),
        (
            start + "\nrouting: {ignore_tags: [X]}\nlimits: {message: 1MB}", ["routing", "limits"], []
        ),
        (start + "\nquota: {person: 5GB}", ["quota"], []),
        (start + "\nlinks: off", ["links"], []), (start + "\nlinks: on", [], []),
        (start + "\nnews: off", ["news"], []), (start + "\nnews: on", [], []),
        (start + "\ndigests: {hour: 20}", ["digests"], []),
        (start + "\ndirectory: {vcard_file: people.vcf}", ["directory"], []),
        (start + "\ndirectory: {carddav_url: https://cards.c.example/people/}", ["directory"], []),
        (start + "\nprofiles: {organization: Corp}", ["profiles"], []),
        (start + "\nsmtp: {url: smtps://mail.c.example, from: f@c.example}", ["smtp"], []),
        (start.replacing("certificate: c", with: "certificate: d"), ["server: tls"], []),
        (
            start.replacing("{listen:", with: "{second_factor: {required_for: everybody}, listen:"),
            ["server: second_factor"], []
        ),
        (start.replacing("store: s", with: "store: t"), [], ["store"]),
        (start.replacing("127.0.0.1:1", with: "127.0.0.1:2"), [], ["server: listen"]),
        (
            start.replacing("tls: {certificate: c, key: k}", with: "behind_proxy: true, tokens: {web: 1h}"), [],
            ["server: tls", "server: behind_proxy", "server: tokens"]
        ),
    ]

    @Test(arguments: cases)
    func tellsWhatChanges(_ row: (text: String, applied: [String], pending: [String])) throws {
        let live = LiveConfiguration(try Self.configuration(Self.start))
        let new = try Self.configuration(row.text)
        let changes = live.take(new)
        #expect(changes.applied == row.applied)
        #expect(changes.pending == row.pending)
        // Changes that wait for a new start are named again until then.
        #expect(live.take(new) == LiveConfiguration.Changes(applied: [], pending: row.pending))
        #expect(live.value.mailboxes == new.mailboxes && live.value.smtp == new.smtp)
        #expect(live.value.retention == new.retention && live.value.limits == new.limits)
        #expect(live.value.quota == new.quota)
        #expect(live.value.store == "/etc/fm/s" && live.value.server?.port == 1)
        #expect(
            (live.value.server?.tls?.certificateFile == new.server?.tls?.certificateFile) == !row.pending.contains(
                "server: tls"))
    }
}
