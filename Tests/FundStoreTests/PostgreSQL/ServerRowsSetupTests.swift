import FundCore
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// Tests of making a store whose rows are on a server.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct ServerRowsSetupTests {
    private let folder: String
    private var path: String { folder + "/store" }
    private var location: StoreLocation { StoreLocation(root: path) }

    init() throws { folder = try TestFile.makeFolder("rows") }

    private func database(_ options: String = "") throws -> PostgreSQLSettings {
        try PostgreSQLServer.shared.get().makeDatabase(options)
    }

    private func refusal(_ address: String) -> StoreError? {
        #expect(throws: StoreError.self) { try FundStore.makeRows(on: address, at: path) }
    }

    @Test func aStoreIsMadeAndUsed() async throws {
        let address = try database().testAddress
        try FundStore.makeRows(on: address, at: path)
        for _ in 1...2 {
            let store = try FundStore.open(at: path, mode: .create)
            _ = try await store.administration.addUser(
                email: "\(DiskDirectory.uniqueName(prefix: "a"))@example.com", name: "Ann", isAdministrator: false,
                addresses: [], actor: "test")
            try store.close()
            // Again: nothing happens to a store that is there.
            try FundStore.makeRows(on: address, at: path)
        }
        let store = try FundStore.open(at: path, mode: .readOnly)
        #expect(try await store.administration.countUsers(matching: nil) == 2)
        let server = try #require(try await store.maintenance.databaseServer())
        #expect(server.version.hasPrefix("15") && !server.isPooled && server.standbys == 0)
        #expect(server.unsafeSettings == ["fsync", "full_page_writes"])
        try store.close()
        #expect(try DiskDirectory.names(in: path).filter { $0.contains(".new") } == [])
    }

    @Test func anotherDatabaseIsRefusedForAStoreThatIsThere() throws {
        try FundStore.makeRows(on: database().testAddress, at: path)
        #expect(try refusal(database().testAddress)?.code == .alreadyExists)
    }

    @Test func aStoreWithRowsInItsFolderIsRefused() throws {
        try FundStore.open(at: path, mode: .create).close()
        let error = try refusal(database().testAddress)
        #expect(error?.code == .alreadyExists && error?.detail.contains("migrate") == true)
    }

    @Test func aDatabaseOfAnotherStoreIsRefused() throws {
        let settings = try database()
        try FundStore.makeRows(on: settings.testAddress, at: folder + "/other")
        let error = refusal(settings.testAddress)
        #expect(error?.code == .alreadyExists && error?.detail.contains("createdb") == true)
        #expect(DiskFile.kind(of: location.places) == nil && DiskFile.kind(of: location.database) == nil)
    }

    @Test func aDatabaseWithOtherTablesIsRefused() throws {
        let settings = try database()
        try PostgreSQLSession(settings).run(script: "CREATE TABLE user_of_another (id bigint)")
        #expect(refusal(settings.testAddress)?.code == .alreadyExists)
    }

    /// A process was killed after the tables were made, and before the folder named them.
    @Test func aSecondRunGoesOn() throws {
        let settings = try database()
        try FundStore.makeRows(on: settings.testAddress, at: path)
        let places = try #require(try StorePlaces.read(location, ""))
        for name in [location.places, location.database] { try DiskFile.rename(name, to: name + ".away") }
        #expect(refusal(settings.testAddress)?.code == .alreadyExists)
        try places.writeDraft(to: location, owner: nil)
        try FundStore.makeRows(on: settings.testAddress, at: path)
        try FundStore.open(at: path, mode: .existing).close()
    }

    @Test func databasesThatCannotHaveOneAreRefused() throws {
        let latin = try database("ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        let error = refusal(latin.testAddress)
        #expect(error?.code == .notAStore && error?.detail.contains("UTF8") == true)
        let missing = refusal(latin.with(database: "nothing").testAddress)
        #expect(missing?.code == .unreachable && missing?.detail.contains("createdb") == true)
    }

    @Test(.enabled(if: PgBouncerServer.isUsable)) func aPoolerIsRefused() throws {
        let server = try PostgreSQLServer.shared.get()
        let pooler = try PgBouncerServer(to: server, connections: 2)
        let error = refusal(pooler.settings(for: try database()).testAddress)
        #expect(error?.code == .invalid && error?.detail.contains("pooler") == true)
    }

    /// Each says in one sentence what it is that works with rows in the folder alone.
    @Test func repairsOfTheFileAreRefused() async throws {
        try FundStore.makeRows(on: database().testAddress, at: path)
        let store = try FundStore.open(at: path, mode: .existing)
        defer { try? store.close() }
        func check(_ error: StoreError?) {
            #expect(error?.code == .invalid && error?.detail.contains("on a server") == true)
        }
        check(#expect(throws: StoreError.self) { try FundStore.pendingUpdate(at: path) })
        check(#expect(throws: StoreError.self) { try FundStore.goBack(at: path) })
        check(
            #expect(throws: StoreError.self) { try DatabaseRebuild.begin(at: path, also: [], isForced: true) })
        check(
            await #expect(throws: StoreError.self) {
                try await store.maintenance.repairDatabase(from: nil, acceptsRows: false)
            })
    }
}
