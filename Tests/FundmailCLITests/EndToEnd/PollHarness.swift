import Foundation
import TestSupport
import Testing

/// A store and a mailbox of its own on a real server, polled by the program itself.
struct PollHarness: Sendable {
    /// Every mailbox has it, so that places are the same in all harnesses of the same mail.
    static let epoch: UInt32 = 7

    var scheme = MailboxSettings.Scheme.imaps
    /// `delete`, `keep` or `move:Filed`.
    var after = "delete"
    let user = "u\(UUID().uuidString.prefix(8).lowercased())"
    let server: DovecotServer
    var store: ReplayStore
    let mail: [CrashMail.Message]

    /// - Parameter empty: a store with accounts, which is copied.
    init(
        _ scheme: MailboxSettings.Scheme, after: String = "delete", mail: [CrashMail.Message], empty: ReplayStore,
        others: String = ""
    ) throws {
        (self.scheme, self.after, self.mail) = (scheme, after, mail)
        server = try DovecotServer.shared.get()
        for message in mail { try server.deliver(message.wireBytes, to: user) }
        try server.changeUIDValidity(of: user, to: Self.epoch)
        store = try empty.copy()
        try store.configure(MailboxSettings("funds", scheme, at: server, user: user, after: after), others: others)
    }

    func remove() {
        store.remove()
        try? server.empty(user)
        if let target { try? server.empty(user, folder: target) }
    }

    func poll(_ environment: [String: String] = [:], killAfter: Double? = nil) async throws -> BuiltProgram.Finished {
        try await store.with(environment).run("poll", "--json", killAfter: killAfter)
    }

    /// One run, which must succeed.
    func pollWell(
        _ prefix: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> MessageLine.Run {
        let done = try await store.with([:], prefix: prefix).run("poll", "--json")
        try #require(done.isSuccess, "\(done)", sourceLocation: sourceLocation)
        return try MessageLine.read(done.output)
    }

    /// Where `after` moves to.
    private var target: String? { after.hasPrefix("move:") ? String(after.dropFirst("move:".count)) : nil }

    /// How much is left to do on the server.
    var waiting: Int { get throws { try server.mail(of: user).count } }

    /// Everything is taken in and the server was told: nothing is left, or all of it stands where it should. `comment`
    /// says more.
    func expectServerIsTold(
        _ comment: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let all = mail.map(\.wireBytes)
        let inbox = try server.mail(of: user).map(\.bytes)
        let isInboxRight = Self.isSame(inbox, after == "keep" ? all : [])
        #expect(isInboxRight, "\(inbox.count) in the mailbox; \(comment())", sourceLocation: sourceLocation)
        guard let target else { return }
        let moved = try server.mail(of: user, folder: target).map(\.bytes)
        let isTargetRight = Self.isSame(moved, all)
        #expect(isTargetRight, "\(moved.count) moved; \(comment())", sourceLocation: sourceLocation)
    }

    private static func isSame(_ one: [[UInt8]], _ other: [[UInt8]]) -> Bool {
        func counts(_ messages: [[UInt8]]) -> [[UInt8]: Int] {
            Dictionary(messages.map { ($0, 1) }, uniquingKeysWith: +)
        }
        return counts(one) == counts(other)
    }

    /// A snapshot without what a run says of itself, which may differ from a run that was not disturbed.
    func snapshot() throws -> StoreSnapshot {
        try StoreSnapshot(store: store.store, ignoring: StoreSnapshot.attempts.union(["mailbox"]))
    }

    /// Processes that run in this store's folder: polls and the parsers that they started.
    func processes() -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { process in
            let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
            return folder == store.folder
        }
    }

    /// Nothing that a dead run started goes on.
    func expectNobodyLeft(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for process in processes() { _ = try await ProcessEnd.wait(for: process, within: .seconds(30)) }
        #expect(processes() == [], sourceLocation: sourceLocation)
    }
}

/// A mailbox before and after undisturbed polls.
struct PollReference: Sendable {
    let scheme: MailboxSettings.Scheme
    let after: String
    let mail: [CrashMail.Message]
    let empty: ReplayStore
    let environment: [String: String]
    let final: StoreSnapshot
    let seconds: Double

    init(
        _ scheme: MailboxSettings.Scheme, after: String, messages count: Int, environment: [String: String] = [:]
    ) async throws {
        (self.scheme, self.after, self.environment) = (scheme, after, environment)
        mail = CrashMail.messages(count)
        empty = try await ReplayStore()
        let harness = try PollHarness(scheme, after: after, mail: mail, empty: empty)
        defer { harness.remove() }
        let done = try await harness.poll(environment)
        try #require(done.isSuccess, "\(done)")
        seconds = done.seconds
        let run = try MessageLine.read(done.output)
        #expect(run.lines.map(\.line.outcome).sorted() == mail.map(\.outcome).sorted())
        try harness.expectServerIsTold("\(done.errors.suffix(2000))")
        final = try harness.snapshot()
        #expect(final.wrongFiles.isEmpty && final.leftovers.isEmpty)
        #expect(final.rows["email"]?.count == mail.filter { $0.outcome == "filed" }.count)
        #expect(final.rows["delivery"]?.count == mail.count)
    }

    func makeHarness() throws -> PollHarness {
        var harness = try PollHarness(scheme, after: after, mail: mail, empty: empty)
        harness.store = harness.store.with(environment)
        return harness
    }

    func remove() { empty.remove() }

    /// Polls again, which must succeed, and compares.
    func expectCompletion(of harness: PollHarness, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await harness.expectNobodyLeft(sourceLocation: sourceLocation)
        let again = try await harness.poll()
        try #require(again.isSuccess, "the poll after the crash failed: \(again)", sourceLocation: sourceLocation)
        try harness.expectServerIsTold(
            "\(again.output.suffix(200)) \(again.errors.suffix(2000))", sourceLocation: sourceLocation)
        let verified = try await harness.store.run("verify")
        #expect(verified.isSuccess, "verify: \(verified)", sourceLocation: sourceLocation)
        let snapshot = try harness.snapshot()
        #expect(snapshot == final, "\(snapshot.difference(from: final))", sourceLocation: sourceLocation)
    }
}
