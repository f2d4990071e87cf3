package import FundCore

/// An `IngestStore` that stores nothing, for `replay --dry-run`. Routing uses the real directory; duplicates are
/// recognised by what the real store holds and by what this run has processed.
package actor Rehearsal: IngestStore {
    package nonisolated let spool: SpoolDirectory
    private nonisolated let readDirectory: @Sendable () throws -> RoutingDirectory
    private nonisolated let findAttempt: @Sendable (_ returnPath: String) throws -> OutboxAttempt?
    private let holds: @Sendable (RoutedMessage) async throws -> Bool
    private var seenDigests: Set<ContentDigest> = []
    private var filedFingerprints: Set<ContentDigest> = []

    /// `spool` is a temporary folder; `holds` says whether the real store has this message, and `letter` which letter
    /// has a return path there.
    package init(
        spool: SpoolDirectory, directory: @escaping @Sendable () throws -> RoutingDirectory,
        attempt: @escaping @Sendable (_ returnPath: String) throws -> OutboxAttempt?,
        holds: @escaping @Sendable (RoutedMessage) async throws -> Bool
    ) {
        self.spool = spool
        self.readDirectory = directory
        self.findAttempt = attempt
        self.holds = holds
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
        for message in batch.map(\.message) {
            let isNew = seenDigests.insert(message.spooled.digest).inserted
            let isSame = filedFingerprints.contains(message.spooled.fingerprint)
            let isKnown = try await holds(message)
            let outcome = isNew && !isSame && !isKnown ? message.decision.outcome : .duplicate
            if outcome == .filed { filedFingerprints.insert(message.spooled.fingerprint) }
            stored.append(
                StoredMessage(
                    message: message, outcome: outcome, reason: outcome == .duplicate ? nil : message.decision.reason,
                    emailID: nil, misrouteID: nil))
        }
        return stored
    }
}
