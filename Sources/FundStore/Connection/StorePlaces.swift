internal import Foundation
import FundCore
internal import Glibc
import PostgreSQLRoom

/// The places of what a store has outside of its folder: the content of a small file in it. A store without that file
/// has all of itself in its folder.
package struct StorePlaces: Codable, Hashable, Sendable {
    /// The latest form of the file that this version reads.
    private static let lastFormat = 1
    private static let maxBytes = 64 << 10

    /// Form of the file. A version that has to be told more raises it, so that an earlier one refuses the store.
    private(set) var format = lastFormat
    /// Identity of the store (`StoreIdentity`): a database with the rows of another one is refused.
    let store: Int64
    /// Address of the database with the rows, as libpq reads it, without a password; nil for rows in the folder.
    var rows: String?
    /// The bucket with the segments that are sealed; nil for a log that lies in the folder alone.
    var bytes: BytesPlace?

    init(store: Int64, bytes: BytesPlace) { (self.store, self.bytes) = (store, bytes) }

    /// Throws `invalid` for an address that cannot be read, and for one with a password.
    init(store: Int64, rows: String) throws {
        (self.store, self.rows) = (store, rows)
        _ = try Self.settings(rows, "name the place of the rows")
    }

    /// The way to the database with the rows; nil for rows in the folder. The password is where libpq looks for it:
    /// `~/.pgpass`, `PGPASSFILE`, `PGPASSWORD`, or the file that the address names with `passfile`. Throws `invalid`.
    func rowSettings(_ operation: String) throws -> PostgreSQLSettings? {
        try rows.map { try Self.settings($0, operation) }
    }

    private static func settings(_ address: String, _ operation: String) throws -> PostgreSQLSettings {
        let settings: PostgreSQLSettings
        do { settings = try PostgreSQLSettings(address) } catch {
            throw StoreError(.invalid, operation, error.description)
        }
        guard !settings.hasPassword else {
            throw StoreError(
                .invalid, operation,
                "the address of a database may not hold a password: put that into ~/.pgpass, or into a file that the "
                    + "address names (?passfile=/etc/fundmail/pgpass), with mode 0600")
        }
        return settings
    }

    /// Reads the file of a store; nil where it has none. Throws `newerVersion` for one of a later version, `corrupted`
    /// for another file, and `DiskError`.
    static func read(_ location: StoreLocation, _ operation: String) throws -> StorePlaces? {
        try read(location.places, operation)
    }

    /// Reads the file that is written before it counts; nil where there is none. Throws as `read`.
    static func readDraft(_ location: StoreLocation, _ operation: String) throws -> StorePlaces? {
        try read(draft(location), operation)
    }

    private static func read(_ path: String, _ operation: String) throws -> StorePlaces? {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(path, maxBytes: maxBytes) } catch {
            guard error.code != ENOENT, error.code != ENOTDIR else { return nil }
            throw DiskError("read", path, code: error.code)
        }
        struct Form: Decodable { let format: Int }
        let (data, decoder) = (Data(bytes), JSONDecoder())
        if let form = try? decoder.decode(Form.self, from: data), form.format > lastFormat {
            throw StoreError(
                .newerVersion, operation, "\(StoreLocation.placesName) was written by a later version of Fundmail")
        }
        guard let places = try? decoder.decode(StorePlaces.self, from: data) else {
            throw StoreError(
                .corrupted, operation,
                "\(StoreLocation.placesName), which says where the rows are, cannot be read. Bring it back from a copy")
        }
        return places
    }

    /// Notes the bucket of a store.
    static func note(_ bytes: BytesPlace, of connection: StoreConnection, _ operation: String) throws {
        let store = try connection.read(operation) { try StoreIdentity.of($0) ?? 0 }
        var places = try read(connection.location, operation) ?? StorePlaces(store: store, bytes: bytes)
        places.bytes = bytes
        try places.write(to: connection.location, owner: connection.owner)
    }

    /// Writes the file in one step, durably: a process that opens the store finds the old one or the new one, whole.
    /// Throws `DiskError`.
    func write(to location: StoreLocation, owner: FileOwner?) throws {
        try writeDraft(to: location, owner: owner)
        try Self.takeDraft(location)
    }

    private static func draft(_ location: StoreLocation) -> String { "\(location.places).new" }

    /// Writes the file durably under the name under which it does not count yet. Throws `DiskError`.
    func writeDraft(to location: StoreLocation, owner: FileOwner?) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let bytes = Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        let draft = Self.draft(location)
        unlink(draft)
        try DiskFile.write(draft, owner: owner) { append in try bytes.withUnsafeBytes(append) }
        try DiskFile.syncNames(in: location.root)
    }

    /// Has what `writeDraft` wrote count. Throws `DiskError`.
    static func takeDraft(_ location: StoreLocation) throws(DiskError) {
        try DiskFile.rename(draft(location), to: location.places)
        try DiskFile.syncNames(in: location.root)
    }

    /// Throws `invalid` for a store whose rows are on a server: for what can be done to rows in the folder alone.
    ///
    /// - Parameter instead: what to do.
    static func requireRowsInFolder(_ location: StoreLocation, _ operation: String, instead: String) throws {
        guard try read(location, operation)?.rows != nil else { return }
        throw onServer(operation, instead: instead)
    }

    /// The error of what can be done to rows in the folder alone.
    static func onServer(_ operation: String, instead: String) -> StoreError {
        StoreError(
            .invalid, operation, "the rows are on a server, and this is for rows in the folder alone: \(instead)")
    }
}
