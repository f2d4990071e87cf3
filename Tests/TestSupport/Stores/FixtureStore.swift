internal import Foundation
internal import GRDB

/// A store with the users and funds of `Fixtures/mail/directory.json`, made by the commands that an administrator uses.
package struct FixtureStore: Sendable {
    private struct Directory: Decodable {
        struct User: Decodable {
            var email: String
            var name: String?
            var addresses: [String]?
            var disabled: Bool?
            var funds: [Fund]
        }
        struct Fund: Decodable {
            var name: String
            var aliases: [String]?
        }
        var users: [User]
    }

    package let folder: String
    private let program = BuiltProgram()

    private var configuration: String { folder + "/fundmail.yaml" }

    package init() async throws {
        folder = ReplayStore.newFolder()
        try await require(["init", folder])
        let file = URL(fileURLWithPath: PackageRoot.path + "/Fixtures/mail/directory.json")
        for user in try JSONDecoder().decode(Directory.self, from: Data(contentsOf: file)).users {
            let name = user.name.map { ["--name", $0] } ?? []
            let addresses = (user.addresses ?? []).flatMap { ["--address", $0] }
            try await require(["--config", configuration, "user", "add", user.email] + name + addresses)
            for fund in user.funds {
                let aliases = (fund.aliases ?? []).flatMap { ["--alias", $0] }
                try await require(
                    ["--config", configuration, "fund", "add", fund.name, "--owner", user.email] + aliases)
            }
            if user.disabled == true { try await require(["--config", configuration, "user", "disable", user.email]) }
        }
    }

    /// Replaces the configuration by one with a mailbox for each policy; they are named `mailbox0`, `mailbox1` …
    package func configure(_ policies: [FixtureExpectation.Trust]) throws {
        var text = "store: ./store\nmailboxes:\n"
        for (index, policy) in policies.enumerated() {
            let received = policy.own_received.map { ", own_received: \($0)" } ?? ""
            let domains =
                policy.submission_domains.map { ", submission_domains: [\($0.joined(separator: ", "))]" } ?? ""
            text += """
                  - name: mailbox\(index)
                    url: imaps://funds@mail.corp.example/INBOX
                    password: unused
                    trust: {authserv_id: \(policy.authserv_id), require: \(policy.require)\(received)\(domains)}

                """
        }
        if policies.isEmpty { text = "store: ./store\n" }
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
    }

    /// Writes a file below the folder and gives its path.
    @discardableResult
    package func write(_ bytes: [UInt8], to name: String) throws -> String {
        let file = URL(fileURLWithPath: folder + "/" + name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Replays a folder below the store's one. A run that does not end with status 0 is an error.
    package func replay(_ name: String, as mailbox: String? = nil) async throws -> MessageLine.Run {
        let trust = mailbox.map { ["--as", $0] } ?? []
        let output = try await require(
            ["--config", configuration, "replay", folder + "/" + name, "--json"] + trust)
        return try MessageLine.read(output)
    }

    package func remove() { try? FileManager.default.removeItem(atPath: folder) }

    @discardableResult
    private func require(_ words: [String]) async throws -> String {
        let done = try await program.run(words)
        guard done.isSuccess else {
            let end = done.wasKilled ? "signal \(done.status)" : "status \(done.status)"
            throw FixtureError("\(words.joined(separator: " ")): \(end)\n\(done.output.suffix(2000))\n\(done.errors)")
        }
        return done.output
    }
}

extension FixtureStore {
    /// The text and the HTML body of filed mail, by the digest of the raw message in hexadecimal digits.
    package func bodies() throws -> [String: (text: String, html: String)] {
        let database = try DatabaseQueue(path: folder + "/store/fundmail.sqlite")
        defer { try? database.close() }
        return try database.read { database in
            let sql =
                "SELECT lower(hex(message.digest)), text, html FROM email JOIN message ON message.id = message_id"
            let rows = try Row.fetchAll(database, sql: sql)
            return Dictionary(
                rows.map { ($0[0] as String, ($0[1] as String? ?? "", $0[2] as String? ?? "")) }
            ) { first, _ in first }
        }
    }
}
