import MailConnection
import Foundation
import FundCore
import MailFetch
import MailWatch
import TestSupport
import Testing

@testable import FundmailCLI
@testable import Terminal

/// A mailbox is added to what a person wrote, and nothing else changes.
@Suite struct ConfigurationEditorTests {
    private static func entry(
        _ name: String = "funds", folder: String = "INBOX", user: String = "funds@corp.example",
        passwordFile: String = "secrets/funds", trust: TrustPolicy = .vouched
    ) -> MailboxEntry {
        MailboxEntry(
            name: name,
            server: MailServerAddress(scheme: .imaps, user: user, host: "mail.corp.example", mailbox: folder),
            passwordFile: passwordFile, trust: trust)
    }

    private static func add(_ entry: MailboxEntry, to text: String) throws -> String {
        try ConfigurationEditor(text: text, file: "/etc/fm/fundmail.yaml").adding(entry).text
    }

    private static let old = """
          - name: a
            url: imaps://a@mail.c.example/INBOX
            password_env: P # of the service
            trust: {require: none}
        """
    private static let new = """
          - name: funds
            url: imaps://funds%40corp.example@mail.corp.example:993/INBOX
            password_file: secrets/funds
            after: keep
            trust: {require: none}
        """

    /// The text with `@` at the end of a line where the entry goes.
    private static let places: [String] = [
        "store: s\n\nmailboxes:\n@\n",
        "store: s\nmailboxes: # none yet\n@\n# the end\n",
        "mailboxes:\n@\nstore: s\n",
        "store: s\nmailboxes:\n\(old)\n@\n",
        // Comments below an item are about it, those above a key about that.
        "store: s\nmailboxes:\n\(old)\n    # tls: on\n#    idle: true\n@\n\n# How long.\nretention: {raw: 5}\n",
        "store: s\nmailboxes:\n\(old)\n    # tls: on\n@\n# How long.\nretention: {raw: 5}\n",
        "mailboxes:\n\n\(old)\n@\n\n\nstore: s\n",
        "mailboxes:\n\(old)\n@\n# x\nstore: s\n#mailboxes:\n",
        "store: s\n#mailboxes:\n#  - name: x\n\nmailboxes:\n@\n\n# server\n#server:\n",
    ]

    @Test(arguments: places)
    func goesWhereItBelongs(_ text: String) throws {
        let isFirst = !text.contains("name: a")
        // Where there is no list yet, the key is new, too.
        for removed in isFirst ? ["@\n", "mailboxes:\n@\n"] : ["@\n"] where text.contains(removed) {
            var before = text.replacing(removed, with: "")
            guard before.contains("store:") else { continue }
            if removed.hasPrefix("mailboxes") { before = before.replacing("\n\n\n", with: "\n\n") }
            let after = try Self.add(Self.entry(), to: before)
            #expect(Self.lines(after).filter { !$0.isEmpty }.containsInOrder(Self.lines(before).filter { !$0.isEmpty }))
            guard removed == "@\n" else { continue }
            #expect(after == text.replacing("@\n", with: Self.new + "\n"))
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The template, and twice again into what came of it.
    @Test func growsFromTheTemplate() throws {
        var text = ConfigurationTemplate.text
        for name in ["funds", "b", "c"] {
            let next = try Self.add(Self.entry(name, passwordFile: "secrets/\(name)"), to: text)
            #expect(Self.lines(next).containsInOrder(Self.lines(text)))
            text = next
        }
        let decoded = try ConfigurationDecoder.decode(text, file: "fundmail.yaml")
        #expect(decoded.mailboxes.map(\.name) == ["funds", "b", "c"])
        let lines = Self.lines(text)
        let example = try #require(lines.firstIndex(of: "#mailboxes:"))
        let list = try #require(lines.firstIndex(of: "mailboxes:"))
        let server = try #require(lines.firstIndex(of: "#server:"))
        #expect(example < list && list < server)
    }

    @Test(arguments: [
        "mailboxes: [] # none", "mailboxes: []", "mailboxes: ~", "mailboxes:", "",
    ])
    func saysThatThereIsOneNow(_ line: String) throws {
        let text = try Self.add(Self.entry(), to: "store: s\n\(line)\nlimits: {depth: 9}")
        #expect(
            text.contains(Self.new) && text.contains("limits: {depth: 9}")
                && text.contains("# none") == line.contains("#"))
    }

    @Test(arguments: [
        "{store: s}", "store: s\nmailboxes: [{name: a, url: 'imaps://a@b/', password_env: P, trust: {require: none}}]",
        "store: s\n...\n", "  store: s\n", "store: &s s\nmailboxes:\n  []\n",
        // The end of the document is not that of the text.
        "store: s\nmailboxes:\n\(old)\n---\n",
    ])
    func refusesWhatItCannotAddTo(_ text: String) {
        #expect(throws: (any Error).self) { try Self.add(Self.entry(), to: text) }
    }

    @Test func keepsLineEndsOfWindows() throws {
        let text = try Self.add(Self.entry(), to: "store: s\r\n# a\r\nmailboxes: []\r\n# b\r\n")
        #expect(text.utf8.split(separator: .lf).allSatisfy { $0.last == .cr })
    }

    @Test(arguments: [
        "INBOX", "A b", "Ordner/Über #1", "* x: y", "- x", "基金 \u{202E}x", "{a}", "a\"b\\c", "a%40@b", "'", "x?y;z",
    ])
    func writesAnyText(_ text: String) throws {
        let trust = TrustPolicy.dmarc(authservID: .named("mx \(text): #"), ownReceivedFields: 2)
        let entry = Self.entry(folder: text, user: "u \(text)", passwordFile: "secrets/\(text)\u{2028}\n", trust: trust)
        let new = try ConfigurationEditor(text: ConfigurationTemplate.text, file: "/etc/fm/fundmail.yaml").adding(entry)
        let mailbox = try #require(new.configuration.mailboxes.last)
        #expect(mailbox.server == entry.server && mailbox.trust == trust)
        #expect(mailbox.credential == .passwordFile("/etc/fm/secrets/\(text)\u{2028}\n"))
    }

    @Test func quotesWhatIsNoPlainText() {
        for (text, expected) in [
            ("secrets/funds", "secrets/funds"), ("null", "\"null\""), ("1e3", "\"1e3\""), ("", "\"\""),
            ("a: b", "\"a: b\""), ("é", "\"é\""), ("\u{7}", "\"\\U00000007\""), ("a\u{A0}b", "\"a\\U000000A0b\""),
        ] {
            #expect(YAMLScalar.text(text) == expected)
        }
    }
}

extension [String] {
    /// Whether the others are among these, in their order.
    fileprivate func containsInOrder(_ others: [String]) -> Bool {
        var rest = self[...]
        return others.allSatisfy { other in
            guard let index = rest.firstIndex(of: other) else { return false }
            rest = rest[(index + 1)...]
            return true
        }
    }
}

/// The files that are written.
@Suite struct ConfigurationFileTests {
    private static func folder() throws -> String {
        let path = "/tmp/\(DiskDirectory.uniqueName(prefix: "configuration"))"
        try FileManager.default.createDirectory(atPath: path + "/real", withIntermediateDirectories: true)
        return path
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func keepsModeLinkAndOwner() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (real, link) = (folder + "/real/f.yaml", folder + "/fundmail.yaml")
        try TestFile.write("store: s\n", to: real)
        #expect(chmod(real, 0o640) == 0)
        if geteuid() == 0 { #expect(chown(real, 12, 34) == 0) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real/f.yaml")
        let file = try ConfigurationFile(link)
        try file.replace(with: "store: t\n")
        #expect(try String(contentsOfFile: real, encoding: .utf8) == "store: t\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real/f.yaml")
        #expect(try Self.mode(real) == 0o640)
        if geteuid() == 0 {
            let owner = try FileManager.default.attributesOfItem(atPath: real)
            #expect(owner[.ownerAccountID] as? Int == 12 && owner[.groupOwnerAccountID] as? Int == 34)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/real") == ["f.yaml"])
        // It is another by now.
        #expect(throws: CommandError.self) { try file.replace(with: "store: u\n") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/real") == ["f.yaml"])
    }

    @Test func writesSecretsOnce() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try TestFile.write("store: s\n", to: folder + "/fundmail.yaml")
        let file = try ConfigurationFile(folder + "/fundmail.yaml")
        let secrets = folder + "/secrets"
        try file.writeSecret("sesame\n", named: "funds", in: secrets)
        #expect(try Self.mode(secrets) == 0o700 && Self.mode(secrets + "/funds") == 0o600)
        #expect(throws: CommandError.self) { try file.writeSecret("x", named: "funds", in: secrets) }
        #expect(try String(contentsOfFile: secrets + "/funds", encoding: .utf8) == "sesame\n")
        // Where others write, they could put another file in its place.
        #expect(chmod(secrets, 0o777) == 0)
        #expect(throws: CommandError.self) { try file.writeSecret("x", named: "b", in: secrets) }
    }
}
