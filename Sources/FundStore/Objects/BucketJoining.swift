internal import FundCore
internal import ObjectStorage

/// A bucket that a store is to have its segments in, before the store knows it.
package struct BucketJoining: Sendable {
    /// Findings of the probe, see `StoreAbilities.Finding`.
    package struct Finding: Hashable, Sendable {
        package var isGood: Bool
        /// One sentence without its full stop.
        package var text: String
    }

    /// A slow store is no store that cannot be used: a person waits for the probe alone.
    private static let patience: RequestPatience = {
        var patience = RequestPatience()
        (patience.whole, patience.attempts) = (.seconds(30), 2)
        return patience
    }()

    package let place: BytesPlace
    /// Abilities of the bucket in words.
    package let findings: [Finding]
    private let environment: [String: String]

    /// Probes a bucket with a few small objects. Throws `invalid` for an address that cannot be read, `unreachable`
    /// (also without a key), `io`.
    ///
    /// - Parameters:
    ///   - address: `s3://bucket/prefix?endpoint=…&region=…`.
    ///   - environment: has the key, as AWS's tools name it.
    ///   - localBytes: see `BytesPlace`.
    package init(_ address: String, environment: [String: String], localBytes: Int64? = nil) throws {
        self.environment = environment
        do throws(ObjectStorageError) {
            let bucket = try BucketAddress(address, environment: environment)
            let abilities = try StoreProbe(
                Bucket(bucket, keys: AccessKeySource(environment: environment), patience: Self.patience)
            ).run()
            place = BytesPlace(address, in: bucket.region, abilities, localBytes: localBytes)
            findings = abilities.findings.map { Finding(isGood: $0.isThere, text: $0.text) }
        } catch { throw StoreError(error, "use the bucket") }
    }

    /// Has a store keep its sealed segments in the bucket from the next opening on. Rows about objects that are not
    /// there go. Throws `conflict` where another state of the store uses the bucket, unless `takesOver`; and where
    /// segments without files are in another bucket.
    func join(_ log: StoreLog, takesOver: Bool) throws {
        let operation = "add the bucket"
        let connection = log.connection
        try StoreError.wrapping(operation) {
            let objects = try LogObjects(
                BytesAccess(place: place, environment: environment), connection, store: log.mark
            ).forUpkeep()
            guard let lease = try connection.leases.take(.bucket, waitingUpTo: .seconds(10)) else {
                throw StoreError(.held, operation, "another process brings segments to the bucket")
            }
            defer { lease.end() }
            try requireAlone(connection, operation)
            defer { _ = connection.useLock?.share() }
            let history = try connection.read(operation) { "\(try StoreHistory.current($0))" }
            let others = try objects.claimedHistories().filter { $0 != history }
            guard others.isEmpty || takesOver else {
                throw StoreError(
                    .conflict, operation,
                    "another state of this store uses the bucket: the store that a backup was made of, or a copy of "
                        + "it. Where that one is gone, add it with --take-over; else use another bucket or prefix")
            }
            try reconcile(try objects.listed(), connection, operation)
            try objects.make()
            try objects.claim(history)
            for other in others { try objects.giveUpClaim(other) }
            try StorePlaces.note(place, of: connection, operation)
        }
    }

    /// A process that opened the store before would not know where segments are whose files leave the folder. Throws
    /// `held` while there is one, but where the store knows the bucket already.
    private func requireAlone(_ connection: StoreConnection, _ operation: String) throws {
        guard try StorePlaces.read(connection.location, operation)?.bytes?.address != place.address else { return }
        if try connection.useLock?.acquire(waitingUpTo: .zero) ?? true { return }
        _ = connection.useLock?.share()
        throw StoreError(
            .held, operation, "another process uses the store: end `fundmail serve`, `watch` and what else runs before")
    }

    private func reconcile(
        _ listed: [(object: SegmentObject, bytes: Int64, time: Timestamp)], _ connection: StoreConnection,
        _ operation: String
    ) throws {
        let there = Dictionary(listed.map { ($0.object, $0.bytes) }) { $1 }
        let files = Set(try LogDirectory(of: connection.location).segments())
        try connection.write(operation, .reserve) { db in
            let rows = SegmentObjectRows(db: db)
            for known in try rows.all(.whole) where there[known.object] != known.bytes {
                guard files.contains(known.object.number) else {
                    throw StoreError(
                        .conflict, operation,
                        "\(known.object.number.fileName) has no file, and is not in this bucket: fetch what is in the "
                            + "other one before (`fundmail bucket fetch`)")
                }
                try rows.forget(known.object)
            }
            for known in try rows.all(.whole) where known.isAlone && files.contains(known.object.number) {
                try rows.setFile(known.object)
            }
            for known in try rows.all(.coming) + rows.all(.going) where there[known.object] == nil {
                try rows.forget(known.object)
            }
        }
    }
}
