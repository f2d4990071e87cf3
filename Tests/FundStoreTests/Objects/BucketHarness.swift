import FundCore
import ObjectStorage
import TestSupport

@testable import FundStore

/// A store with a library whose sealed segments are objects in OpenStack Swift, behind a proxy that can fail.
struct BucketHarness {
    let library: LibraryHarness
    let proxy: FaultyHTTPProxy
    let address: String

    static let day = Duration.seconds(86_400)

    var base: StoreHarness { library.base }
    var store: FundStore { base.store }
    var path: String { base.folder + "/store" }

    /// - Parameter keep: bytes of segments that stay in the folder; nil for all.
    init(keep: Int64? = nil) async throws {
        library = try await LibraryHarness()
        proxy = try FaultyHTTPProxy(to: ObjectStoreServer.shared.get().port)
        let name = DiskDirectory.uniqueName(prefix: "store").lowercased().prefix(bytes: 50)
        address = "s3://\(name)/mail?endpoint=http://127.0.0.1:\(proxy.port)"
        try bucket().make()
        try join(keep: keep)
    }

    func bucket() throws -> Bucket {
        try Bucket(
            BucketAddress(address, environment: [:]), keys: AccessKeySource(environment: ObjectStoreServer.environment))
    }

    func join(keep: Int64? = nil, takesOver: Bool = false) throws {
        let joining = try BucketJoining(address, environment: ObjectStoreServer.environment, localBytes: keep)
        try store.add(joining, takesOver: takesOver)
        try reopen()
    }

    func reopen(_ faults: FaultInjection = .none) throws {
        try base.store.close()
        base.store = try open(path, faults)
    }

    func open(_ path: String, _ faults: FaultInjection = .none) throws -> FundStore {
        let environment = ObjectStoreServer.environment
        guard let rows = base.rows else {
            return try FundStore.open(
                at: path, mode: .existing, faults: faults, searchWait: StoreHarness.searchWait, environment: environment
            )
        }
        let bytes = try StorePlaces.read(StoreLocation(root: path), "open")?.bytes
        return try FundStore.open(
            at: path, rows: rows, faults: faults, searchWait: StoreHarness.searchWait,
            bytes: bytes.map { BytesAccess(place: $0, environment: environment) })
    }

    /// A run of a process at this time.
    @discardableResult
    func keep(at now: Timestamp = .now, of store: FundStore? = nil, isDeleting: Bool = true) throws -> BucketReport {
        let log = (store ?? self.store).log
        guard let objects = log.objects else { throw StoreError(.invalid, "keep", "there is no bucket") }
        // The store's own thread may hold a segment until just after the answer.
        log.leaveSegment()
        try firstResult(orElse: "a segment is in use") {
            try log.directory.segments().allSatisfy { try log.directory.hold($0, for: .keeping) != nil } ? () : nil
        }
        var upkeep = ObjectUpkeep(of: log, in: try objects.forUpkeep(), now: now)
        return try upkeep.run(sealing: 0, keeping: objects.access.place.localBytes, isDeleting: isDeleting)
            ?? BucketReport()
    }

    /// Names of the objects of segments.
    func objects() throws -> [String] {
        var names: [String] = []
        try bucket().list("v1/") { page in names += page.map(\.name).filter { $0.contains("/seg/") } }
        return names
    }

    /// Files in the folder of the log.
    func files() throws -> [String] { try DiskDirectory.names(in: StoreLocation(root: path).log).sorted() }

    /// Reads all files of the library, without what the cache has.
    func tree() async throws -> [String: String] {
        try? DiskDirectory.removeTree(StoreLocation(root: path).segmentCache)
        try reopen()
        return try await library.tree()
    }

    func state() throws -> [String] {
        try store.connection.read("look") {
            try $0.rows("SELECT state, is_alone FROM segment_object ORDER BY number, state").map { row in
                let (state, isAlone): (String, Bool) = (row[0], row[1])
                return isAlone ? "\(state) alone" : state
            }
        }
    }

    static func text(_ count: Int, seed: UInt64) -> String {
        String(decoding: randomBytes(count, seed: seed).map { UInt8(ascii: "a") + $0 % 26 }, as: UTF8.self)
    }
}
