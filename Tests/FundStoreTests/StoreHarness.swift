import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import PostgreSQLRoom
internal import Testing

@testable import FundStore

/// A store in a folder of its own with two users, and messages to put into it.
final class StoreHarness: @unchecked Sendable {  // the store is replaced only between two awaits of one test
    let folder: String
    var store: FundStore
    /// Where the rows are, if not in the folder.
    let rows: PostgreSQLSettings?
    let ann: User
    let fund: Fund

    /// Whether stores have their rows on PostgreSQL: in tests with `.rowsOnServer`, and in all of them with
    /// `FUNDMAIL_TEST_ENGINE=postgresql` in the environment.
    @TaskLocal static var isOnServer = getenv("FUNDMAIL_TEST_ENGINE").map { String(cString: $0) } == "postgresql"

    /// Longer than any machine takes: a search finds what was written before it.
    static let searchWait = Duration.seconds(300)

    init(
        faults: FaultInjection = .none, sync: (@Sendable (Int32) -> Int32)? = nil, searchWait: Duration = searchWait
    ) async throws {
        let beginning = try await Self.beginning.value
        folder = Self.newFolder()
        try beginning.template.copy(to: folder)
        let path = folder + "/store"
        rows = try await Self.isOnServer ? Self.copy(Self.beginningRows.value) : nil
        if let rows {
            let server = PostgreSQLRows(rows, size: 1)
            defer { server.close() }
            try server.write("give an identity") { try Self.setApart(.postgreSQL($0)) }
        } else {
            try DatabaseFile.change(StoreLocation(root: path).database, Self.setApart)
        }
        store = try Self.open(path, rows, faults: faults, sync: sync, searchWait: searchWait)
        (ann, fund) = beginning.made
    }

    /// Copies differ from each other as two new stores do.
    private static func setApart(_ db: Database) throws {
        try StoreIdentity.give(db)
        try db.execute("DELETE FROM fingerprint_key")
        try StoreFingerprints.begin(db)
    }

    /// A copy of a database that nothing is connected to.
    private static func copy(_ rows: PostgreSQLSettings) throws -> PostgreSQLSettings {
        try PostgreSQLServer.shared.get().makeDatabase("TEMPLATE \(rows.value(of: "dbname") ?? "")")
    }

    private static func open(
        _ path: String, _ rows: PostgreSQLSettings?, faults: FaultInjection = .none,
        sync: (@Sendable (Int32) -> Int32)? = nil, searchWait: Duration = searchWait, limits: StorageLimits = .none
    ) throws -> FundStore {
        guard let rows else {
            return try FundStore.open(
                at: path, mode: .existing, faults: faults, searchWait: searchWait, storageLimits: limits,
                syncFile: sync ?? StoreLog.syncFile)
        }
        return try FundStore.open(
            at: path, rows: rows, faults: faults, searchWait: searchWait, storageLimits: limits,
            syncFile: sync ?? StoreLog.syncFile)
    }

    private static func newFolder() -> String { "/tmp/\(DiskDirectory.uniqueName(prefix: "fundstore"))" }

    /// The store with which all harnesses begin, made once.
    private static let beginning = Task {
        try await FolderTemplate.filled { folder in
            let store = try FundStore.open(at: folder + "/store", mode: .create)
            let ann = try await store.administration.addUser(
                email: "ann@example.com", name: "Ann", isAdministrator: false, addresses: ["a@example.com"],
                actor: "test")
            let fund = try await store.administration.addFund(
                name: "Fund1", owner: ann.id, aliases: ["F1"], actor: "test")
            try store.close()
            return (ann, fund)
        }
    }

    /// Its rows on PostgreSQL.
    private static let beginningRows = Task {
        let folder = newFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await beginning.value.template.copy(to: folder)
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        let rows = PostgreSQLRows(settings, size: 1)
        defer { rows.close() }
        let database = StoreLocation(root: folder + "/store").database
        try DatabaseFile.read(database) { try PostgreSQLSchema.copy(from: $0, to: rows) }
        return settings
    }

    /// Begins with a copy of another one.
    init(_ template: StoreTemplate) throws {
        folder = Self.newFolder()
        try template.folder.copy(to: folder)
        rows = try template.rows.map(Self.copy)
        store = try Self.open(folder + "/store", rows)
        (ann, fund) = (template.ann, template.fund)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func reopen(_ limits: StorageLimits = .none) throws {
        try store.close()
        store = try Self.open(folder + "/store", rows, limits: limits)
    }

    struct Part {
        var name: String
        var bytes: [UInt8]
        var isInline = false

        var digest: ContentDigest { .of(bytes) }
    }

    func spool(_ raw: String) throws -> SpooledMessage {
        var writer = store.mail.spool.makeWriter()
        try Array(raw.utf8).withUnsafeBytes { try writer.append($0) }
        return writer.finish()
    }

    func message(
        _ raw: String, parts: [Part] = [], reason: Reason? = nil, mailbox: String? = nil, place: String = "a.eml"
    ) throws -> RoutedMessage {
        var header = MessageHeader()
        header.subjects = ["[Fund1] \(raw.prefix(20))"]
        header.from = [AddressField(addresses: [NamedAddress(address: "ann@example.com")])]
        let attachments = parts.enumerated().map { index, part in
            ParsedAttachment(
                sentName: part.name, displayName: part.name, contentType: "application/octet-stream",
                size: Int64(part.bytes.count), digest: part.digest, isInline: part.isInline, contentID: nil,
                partPath: "\(index + 2)")
        }
        var decision = RoutingDecision(outcome: reason?.outcome ?? .filed, reason: reason)
        if reason == nil { (decision.user, decision.fund) = (ann, fund) }
        return RoutedMessage(
            reference: SourceReference(mailbox: mailbox, place: place), spooled: try spool(raw),
            parsed: .message(ParsedMessage(header: header, text: "hello", attachments: attachments)),
            decision: decision, policy: RoutingPolicy(trust: .vouched))
    }

    func stage(_ message: RoutedMessage, _ parts: [Part] = []) throws -> StagedMessage {
        try store.mail.stage(message) { index, consume in try parts[index].bytes.withUnsafeBytes(consume) }
    }

    /// A message at a place of a server; `refusal` as of one that was too large to be fetched whole.
    @discardableResult
    func deliver(
        _ raw: String, at place: String, announcing bytes: Int64? = nil, refusal: Refusal? = nil,
        reason: Reason? = nil, hasSizeMismatch: Bool = false, in mailbox: String = "funds"
    ) async throws -> StoredMessage {
        var message = try message(raw, reason: refusal?.reason ?? reason, mailbox: mailbox, place: place)
        message.reference.announcedBytes = bytes
        message.reference.hasSizeMismatch = hasSizeMismatch
        message.refusal = refusal
        if let refusal { message.parsed = message.parsed.refused(refusal) }
        return try await store.mail.commit([try stage(message)])[0]
    }

    @discardableResult
    func file(
        _ raw: String, parts: [Part] = [], reason: Reason? = nil, mailbox: String? = nil, place: String = "a.eml"
    ) async throws -> StoredMessage {
        let message = try message(raw, parts: parts, reason: reason, mailbox: mailbox, place: place)
        return try await store.mail.commit([try stage(message, parts)])[0]
    }

    func count(_ table: String) throws -> Int {
        try store.connection.read("count") { try $0.value("SELECT count(*) FROM \(table)") ?? 0 }
    }

    func fileNames() throws -> [String] {
        try store.connection.read("list") { try $0.values("SELECT name FROM file ORDER BY id") }
    }

    var leftovers: [String] { get throws { try DiskDirectory.names(in: store.connection.location.temporary) } }

    // MARK: The log

    /// The content of this digest that a row knows; nil when there is none or it is damaged.
    func content(_ digest: ContentDigest) throws -> [UInt8]? {
        guard let location = try store.log.locations(of: digest).first,
            let record = try? store.log.reader.record(at: location, of: digest)
        else { return nil }
        var bytes: [UInt8] = []
        guard (try? record.content(nil, store.log.blob, { bytes += $0 })) != nil else { return nil }
        return bytes
    }

    /// Changes a bit of a stored content.
    func damage(_ digest: ContentDigest) throws {
        let location = try #require(try store.log.locations(of: digest).first)
        try change(location, at: Int64(LogFormat.headerBytes) + 40)
    }

    /// Changes the header of a stored content, so that it is not found.
    func lose(_ digest: ContentDigest) throws {
        let location = try #require(try store.log.locations(of: digest).first)
        try change(location, at: 20)
    }

    private func change(_ location: RecordLocation, at offset: Int64) throws {
        let path = store.log.directory.path(of: location.segment)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        defer { try? file.close() }
        let position = UInt64(location.offset + min(offset, location.count - 1))
        try file.seek(toOffset: position)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: position)
        try file.write(contentsOf: [byte ^ 4])
    }

    /// That were not dropped.
    func rawMessages() throws -> Int { try count("message WHERE segment IS NOT NULL") }

    /// Bytes of records that rows know.
    func liveBytes() throws -> Int64 {
        try store.connection.read("add up") { try $0.value("SELECT ifnull(sum(live_bytes), 0) FROM segment") ?? 0 }
    }
}

func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
}
