import FundCore
import MailConnection
import Synchronization
import TestSupport

@testable import ObjectStorage

/// A bucket of the shared server, for one test.
struct StoreHarness {
    /// The pauses that requests made; no time passes in them.
    final class Pauses: Sendable {
        let list = Mutex<[Duration]>([])
        /// Is called in each of them.
        let action = Mutex<@Sendable () -> Void>({})
        var all: [Duration] { list.withLock { $0 } }
    }

    let server: ObjectStoreServer
    let name: String
    let pauses = Pauses()

    init(on server: ObjectStoreServer? = nil) throws {
        self.server = try server ?? ObjectStoreServer.shared.get()
        name = DiskDirectory.uniqueName(prefix: "test").lowercased().prefix(bytes: 50)
        try bucket().make()
    }

    /// - Parameter port: of a proxy; nil for the server itself.
    func bucket(
        port: Int? = nil, abilities: StoreAbilities = StoreAbilities(), key: SigningKey? = nil,
        _ change: (inout RequestPatience) -> Void = { _ in }
    ) throws -> Bucket {
        var (patience, surroundings) = (RequestPatience(), Bucket.Surroundings())
        change(&patience)
        let pauses = pauses
        surroundings.pause = { time, _ in
            pauses.list.withLock { $0.append(time) }
            pauses.action.withLock { $0 }()
            return true
        }
        let address = try BucketAddress(
            "s3://\(name)?endpoint=http://127.0.0.1:\(port ?? server.port)", environment: [:])
        return try Bucket(
            address, keys: key.map(AccessKeySource.init) ?? AccessKeySource(environment: ObjectStoreServer.environment),
            abilities: abilities, patience: patience, cancellation: Cancellation(), surroundings: surroundings)
    }

    static let all: StoreAbilities = {
        var all = StoreAbilities()
        (all.hasConditionalPut, all.hasRanges, all.hasMultipart) = (true, true, true)
        return all
    }()
}

extension Bucket {
    /// All names that begin with a text.
    func names(_ prefix: String = "", pageObjects: Int = 1000) throws -> [String] {
        var names: [String] = []
        try list(prefix, pageObjects: pageObjects) { names += $0.map(\.name) }
        return names
    }
}
