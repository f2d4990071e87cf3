import FundCore
import FundStore
import Ingest
import MailParse
import MailWatch

/// Files what a log has and no row knows: mail by the rules of the configuration, and the contents of uploads into a
/// fund of their own.
struct RecoveryRun: Sendable {
    /// What was filed.
    struct Result: Sendable {
        var mail = RunSummary()
        var uploads = RecoveredUploads()
    }

    let workspace: Workspace
    let store: FundStore
    let parser: ParserPool
    let recovery: LogRecovery
    /// The rules for mail that came from files.
    let filePolicy: RoutingPolicy

    /// What is filed when it throws or stops stays, and is passed over the next time.
    func run(
        shouldStop: @escaping @Sendable () -> Bool, onEvent: @escaping @Sendable (IngestEvent) -> Void
    ) async throws -> Result {
        let (configuration, filePolicy) = (workspace.configuration, filePolicy)
        let origins = RecoveredOrigins(configuration, filePolicy: filePolicy)
        let pipeline = IngestPipeline(
            store: store.mail, parser: parser, policy: filePolicy, limits: configuration.limits,
            batchLimits: DebugSwitches.batchLimits())
        var result = Result()
        result.mail = try await pipeline.run(
            try recovery.mail(origins.place), shouldStop: shouldStop, onEvent: onEvent)
        guard !result.mail.wasInterrupted else { return result }
        result.uploads = try await recovery.fileUploads(actor: Workspace.actor, shouldStop: shouldStop)
        return result
    }
}

/// Where a record's message came from, by the text that the record keeps of it.
struct RecoveredOrigins: Sendable {
    private let mailboxes: [(prefix: String, name: String, policy: RoutingPolicy)]
    private let filePolicy: RoutingPolicy

    /// Passed by no message: for mail of a mailbox whose rules are not known any more, which waits at the desk.
    private static let nobody = TrustPolicy.dmarc(
        authservID: .named("mailbox-is-not-configured.invalid"), ownReceivedFields: 0)

    init(_ configuration: Configuration, filePolicy: RoutingPolicy) {
        self.filePolicy = filePolicy
        // Names may have slashes: the longest one that fits counts.
        mailboxes = configuration.mailboxes.sorted { $0.name.utf8.count > $1.name.utf8.count }.map {
            ("\($0.name)/", $0.name, configuration.routing.trusting($0.trust))
        }
    }

    @Sendable
    func place(_ origin: String) -> (reference: SourceReference, policy: RoutingPolicy) {
        if let mailbox = mailboxes.first(where: { origin.hasPrefix($0.prefix) }) {
            let place = String(origin.dropFirst(mailbox.prefix.count))
            return (SourceReference(mailbox: mailbox.name, place: place), mailbox.policy)
        }
        let policy = Self.isPlaceOfServer(origin) ? filePolicy.trusting(Self.nobody) : filePolicy
        return (SourceReference(place: origin), policy)
    }

    /// `name/UIDVALIDITY/UID`, as of IMAP.
    private static func isPlaceOfServer(_ origin: String) -> Bool {
        let words = origin.split(separator: "/", omittingEmptySubsequences: false)
        return words.count >= 3 && !origin.hasPrefix("/") && words.suffix(2).allSatisfy { UInt32($0) != nil }
    }
}
