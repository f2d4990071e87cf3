import FundCore
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// Tests of the file that says where a store's rows are, and of opening a store by it.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct StorePlacesTests {
    @Test func theFolderLeadsToTheRows() async throws {
        let store = try await MovedStore()
        try await store.harness.file("one")

        let found = try FundStore.open(at: store.path, mode: .existing)
        #expect(try found.connection.read("count") { try $0.value("SELECT count(*) FROM message") } == 1)
        guard case .server = found.connection.engine else { throw ServerFailure("the rows are in the folder") }
        try found.close()

        let reader = try FundStore.open(at: store.path, mode: .readOnly)
        #expect(try reader.connection.read("count") { try $0.value("SELECT count(*) FROM message") } == 1)
        #expect(throws: StoreError.self) { try reader.connection.write("write") { try StoreHistory.markCopy($0) } }
        try reader.close()
    }

    @Test func rowsOfAnotherStoreAreRefused() async throws {
        let store = try await MovedStore()
        try store.places(of: store.identity &+ 1).write(to: store.location, owner: nil)
        #expect(try code { try FundStore.open(at: store.path, mode: .existing) } == .notAStore)
    }

    /// Most of the log is missing: what came now would stand in another folder than the rest.
    @Test func aLogThatIsNotThereIsMissed() async throws {
        let store = try await MovedStore()
        try await store.harness.file("one")
        try store.harness.store.close()
        let log = store.location.log
        try DiskFile.rename(log, to: log + ".away")
        #expect(try code { try FundStore.open(at: store.path, mode: .existing) } == .logLost)
        #expect(DiskFile.kind(of: log) == nil)
    }

    /// A version without `StorePlaces` looks at the database alone, as this one does without the file.
    @Test(arguments: [OpenMode.existing, .create, .readOnly])
    func anEarlierVersionMakesNoStore(mode: OpenMode) async throws {
        let store = try await MovedStore()
        let (isSuperseded, program) = try DatabaseFile.read(store.location.database) { db in
            (try Schema.migrations.areSuperseded(in: db), try db.applicationID)
        }
        #expect(isSuperseded && program == Schema.applicationID)
        try DiskFile.rename(store.location.places, to: store.location.places + ".away")
        #expect(try code { try FundStore.open(at: store.path, mode: mode) } == .rowsLost)
    }

    @Test func aPasswordIsNotKept() {
        for address in ["postgres://ann:secret@db/fundmail", "host=db password=secret"] {
            let error = #expect(throws: StoreError.self) { try StorePlaces(store: 1, rows: address) }
            #expect(error?.code == .invalid && error?.detail.contains("secret") == false)
        }
    }

    @Test(arguments: [
        (#"{"format": 2, "bytes": "s3://b"}"#, StoreError.Code.newerVersion), ("{}", .corrupted), ("", .corrupted),
    ])
    func otherFilesAreRefused(content: String, expected: StoreError.Code) throws {
        let location = StoreLocation(root: try TestFile.makeFolder("places"))
        try DiskFile.write(location.places) { append in try Array(content.utf8).withUnsafeBytes(append) }
        #expect(try code { try FundStore.open(at: location.root, mode: .create) } == expected)
        #expect(DiskFile.kind(of: location.database) == nil)
    }

    private func code(_ open: () throws -> FundStore) throws -> StoreError.Code? {
        do { try open().close() } catch let error as StoreError { return error.code }
        return nil
    }
}

/// A store whose folder names its rows on a server.
private struct MovedStore {
    let harness: StoreHarness
    let identity: Int64

    var path: String { harness.folder + "/store" }
    var location: StoreLocation { StoreLocation(root: path) }

    init() async throws {
        harness = try await StoreHarness.$isOnServer.withValue(true) { try await StoreHarness() }
        identity = try #require(try harness.store.connection.read("look") { try StoreIdentity.of($0) })
        StoreLocation.removeDatabase(location.database)
        try RowsElsewhere.put(at: location, owner: nil)
        try places(of: identity).write(to: location, owner: nil)
    }

    func places(of store: Int64) throws -> StorePlaces {
        try StorePlaces(store: store, rows: #require(harness.rows).testAddress)
    }
}
