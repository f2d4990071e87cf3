internal import Foundation

/// A folder with configuration, store and mail in which crash tests replay, and everything they look at afterwards.
package struct ReplayStore: Sendable {
    /// One of the users of `CrashMail`, who may sign in with `password`.
    package static let user = "ann@example.com"
    package static let password = "a long enough password"

    package let folder: String
    package var program: BuiltProgram

    package var store: String { folder + "/store" }
    package var mail: String { folder + "/mail" }
    package var configuration: String { folder + "/fundmail.yaml" }

    /// The folder with which all begin, made once: its accounts take eight runs of the program.
    private static let beginning = Task {
        let store = try await ReplayStore(madeIn: newFolder())
        defer { store.remove() }
        return try FolderTemplate(of: store.folder)
    }

    /// A new one, with the accounts that `CrashMail` writes to.
    package init() async throws { try self.init(copyOf: await Self.beginning.value) }

    /// One with these accounts that the program makes anew: the store has an identity of its own.
    package init(madeIn folder: String) async throws {
        self.folder = folder
        program = BuiltProgram()
        try await require(["init", folder])
        self.program.workingFolder = folder
        for user in CrashMail.users { try await require(["user", "add", user]) }
        try await setPassword(Self.password, of: Self.user)
        for (owner, fund) in CrashMail.funds { try await require(["fund", "add", fund, "--owner", owner]) }
        try FileManager.default.createDirectory(atPath: mail, withIntermediateDirectories: true)
    }

    private init(copyOf other: ReplayStore) throws {
        folder = Self.newFolder()
        program = other.program
        program.workingFolder = folder
        // 32 MiB of nothing, made again when the store is opened.
        try? FileManager.default.removeItem(atPath: other.store + "/reserve")
        try FileManager.default.copyItem(atPath: other.folder, toPath: folder)
    }

    /// A copy of the folder of another one.
    package init(copyOf template: FolderTemplate) throws {
        folder = Self.newFolder()
        program = BuiltProgram()
        program.workingFolder = folder
        try template.copy(to: folder)
    }

    /// Another one that holds the same so far. Nothing may be running in this one.
    package func copy() throws -> ReplayStore { try ReplayStore(copyOf: self) }

    package static func newFolder() -> String {
        FileManager.default.temporaryDirectory.path + "/fundmail-store-" + UUID().uuidString
    }

    package func write(_ messages: [CrashMail.Message]) throws {
        for message in messages {
            try Data(message.bytes).write(to: URL(fileURLWithPath: "\(mail)/\(message.name)"))
        }
    }

    package func arguments(_ words: [String]) -> [String] { ["--config", configuration] + words }

    package func run(_ words: String..., killAfter: Double? = nil) async throws -> BuiltProgram.Finished {
        try await program.run(arguments(words), killAfter: killAfter)
    }

    /// Replays the mail. The working folder of the paths is this store, so that they look alike in every copy.
    package func replay(killAfter: Double? = nil) async throws -> BuiltProgram.Finished {
        try await run("replay", "mail", "--json", killAfter: killAfter)
    }

    /// With `environment` added, as `FUNDMAIL_FAILPOINT`.
    package func with(_ environment: [String: String], prefix: [String] = []) -> ReplayStore {
        var copy = self
        copy.program.environment.merge(environment) { $1 }
        copy.program.prefix = prefix
        return copy
    }

    package func snapshot() throws -> StoreSnapshot { try StoreSnapshot(store: store) }

    package func remove() { try? FileManager.default.removeItem(atPath: folder) }

    package func setPassword(_ password: String, of user: String) async throws {
        let typed = "printf '%s\\n' '\(password)' | \"$0\" \"$@\""
        try await require(["user", "passwd", user], prefix: ["/bin/sh", "-c", typed])
    }

    private func require(_ words: [String], prefix: [String] = []) async throws {
        var program = program
        program.prefix = prefix
        let done = try await program.run(words.first == "init" ? words : arguments(words))
        guard done.isSuccess else {
            throw ReplayStoreError(description: "\(words): \(done.status) \(done.output) \(done.errors)")
        }
    }
}

package struct ReplayStoreError: Error, CustomStringConvertible {
    package let description: String
}

/// The objects of the JSON lines of a replay.
package func jsonLines(_ output: String) throws -> [[String: any Sendable]] {
    try output.split(separator: "\n").map { line in
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
        guard let object = object as? [String: any Sendable] else { throw ReplayStoreError(description: "\(line)") }
        return object
    }
}
