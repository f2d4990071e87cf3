package import FundCore

/// An `IngestStore` that stores nothing, for `replay --dry-run`. Routing uses the real directory; duplicates are
/// recognised by what the real store holds and by what this run has processed, and room is what the real store has
/// beside what this run would file.
package actor Rehearsal: IngestStore {
    package nonisolated let spool: SpoolDirectory
    private nonisolated let readDirectory: @Sendable () throws -> RoutingDirectory
    private nonisolated let findAttempt: @Sendable (_ returnPath: String) throws -> OutboxAttempt?
    private let holds: @Sendable (RoutedMessage) async throws -> Bool
    private let hasRoom: @Sendable (_ message: RoutedMessage, _ others: Int64, _ all: Int64) async throws -> Bool
    private var seenDigests: Set<ContentDigest> = []
    private var filedFingerprints: Set<ContentDigest> = []
    /// Bytes that this run would file, by the person whose room they take, and of all.
    private var (filedBytes, filedBytesOfAll): ([User.ID: Int64], Int64) = ([:], 0)

    /// - Parameters:
    ///   - spool: a temporary folder.
    ///   - attempt: gives the attempt to send a letter that has a return path in the real store.
    ///   - holds: says whether the real store has a message.
    ///   - hasRoom: says whether the real store has room for the files of a message beside bytes of the same person
    ///     and of all people that count as filed.
    package init(
        spool: SpoolDirectory, directory: @escaping @Sendable () throws -> RoutingDirectory,
        attempt: @escaping @Sendable (_ returnPath: String) throws -> OutboxAttempt?,
        holds: @escaping @Sendable (RoutedMessage) async throws -> Bool,
        hasRoom: @escaping @Sendable (_ message: RoutedMessage, _ others: Int64, _ all: Int64) async throws -> Bool
    ) {
        self.spool = spool
        self.readDirectory = directory
        self.findAttempt = attempt
        self.holds = holds
        self.hasRoom = hasRoom
    }

    package nonisolated func directory() throws -> RoutingDirectory { try readDirectory() }

    package nonisolated func attempt(ofReturnPath address: String) throws -> OutboxAttempt? {
        try findAttempt(address)
    }

    package nonisolated func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) -> StagedMessage { StagedMessage(message: message, stagedBytes: 0) }

    /// Does nothing: no files were staged.
    package func abandon(_ batch: [StagedMessage]) {}

    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        var stored: [StoredMessage] = []
        for var message in batch.map(\.message) {
            let isNew = seenDigests.insert(message.spooled.digest).inserted
            let isSame = filedFingerprints.contains(message.spooled.fingerprint)
            let isKnown = try await holds(message)
            var isDuplicate = !isNew || isSame || isKnown
            if !isDuplicate, try await !takeRoom(for: message) {
                message.decision.keep(for: .overQuota)
                // It may repeat one that waits for room already.
                isDuplicate = try await holds(message)
            }
            let outcome = isDuplicate ? .duplicate : message.decision.outcome
            if outcome == .filed { filedFingerprints.insert(message.spooled.fingerprint) }
            stored.append(
                StoredMessage(
                    message: message, outcome: outcome, reason: outcome == .duplicate ? nil : message.decision.reason,
                    emailID: nil, misrouteID: nil))
        }
        return stored
    }

    private func takeRoom(for message: RoutedMessage) async throws -> Bool {
        guard let (owner, bytes) = message.neededRoom else { return true }
        let others = filedBytes[owner, default: 0]
        guard try await hasRoom(message, others, filedBytesOfAll) else { return false }
        filedBytes[owner] = others + bytes
        filedBytesOfAll += bytes
        return true
    }
}
