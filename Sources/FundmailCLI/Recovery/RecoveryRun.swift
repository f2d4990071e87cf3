import FundCore
import FundStore
import Ingest
import MailParse
import MailWatch

/// Files what a log has and no row knows: mail by the rules of the configuration, and the contents of uploads into a
/// fund of their own.
struct RecoveryRun: Sendable {
    /// Result of a run: what was filed.
    struct Result: Sendable {
        var mail = RunSummary()
        var uploads = RecoveredUploads()
    }

    let workspace: Workspace
    let store: FundStore
    let parser: ParserPool
    let recovery: LogRecovery
    let unvouched: UnvouchedMail

    /// Files all of it. What is filed when this throws or stops stays, and is passed over the next time.
    func run(
        shouldStop: @escaping @Sendable () -> Bool, onEvent: @escaping @Sendable (IngestEvent) -> Void
    ) async throws -> Result {
        let configuration = workspace.configuration
        let origins = RecoveredOrigins(configuration, unvouched: unvouched)
        let pipeline = IngestPipeline(
            store: store.mail, parser: parser, policy: configuration.routing, limits: configuration.limits,
            batchLimits: DebugSwitches.batchLimits())
        var result = Result()
        result.mail = try await pipeline.run(
            try recovery.mail(origins.place), shouldStop: shouldStop, onEvent: onEvent)
        guard !result.mail.wasInterrupted else { return result }
        result.uploads = try await recovery.fileUploads(actor: Workspace.actor, shouldStop: shouldStop)
        return result
    }
}

/// The way in which senders are believed whose record does not say that an administrator vouched for them.
enum UnvouchedMail: Sendable {
    /// None: it waits at the desk.
    case waits
    /// Senders are believed that this mailbox believes.
    case asMailbox(RoutingPolicy)
    /// All whose record is of an older version, which does not tell files from mailboxes.
    case isTrusted
}

/// The source and the rules of a record's message, by the origin that the record keeps. What is not certain to be
/// vouched for is not believed.
struct RecoveredOrigins: Sendable {
    private let mailboxes: [(prefix: String, name: String, policy: RoutingPolicy)]
    private let vouched: RoutingPolicy
    private let unvouched: UnvouchedMail

    /// Policy that no message passes.
    private static let noSender = TrustPolicy.dmarc(
        authservID: .named("no-mailbox-of-this-name.invalid"), ownReceivedFields: 0)

    init(_ configuration: Configuration, unvouched: UnvouchedMail) {
        vouched = configuration.routing
        self.unvouched = unvouched
        mailboxes = configuration.mailboxes.map {
            ("\($0.name)/", $0.name, $0.policy(configuration.routing))
        }
    }

    /// - Parameter isProven: it is certain that this is a record and not bytes that came by mail, which may say
    ///   anything.
    @Sendable
    func place(_ origin: String, isProven: Bool) -> (reference: SourceReference, policy: RoutingPolicy) {
        guard isProven else { return (SourceReference(place: origin), vouched.trusting(Self.noSender)) }
        switch RecordOrigin(origin) {
        case .vouchedFile(let path): return (SourceReference(place: path), vouched)
        case .file(let path): return (SourceReference(place: path), policy(isOlder: false))
        case .other(let text):
            guard let mailbox = mailboxes.first(where: { text.hasPrefix($0.prefix) }) else {
                return (SourceReference(place: text), policy(isOlder: true))
            }
            let place = String(text.dropFirst(mailbox.prefix.count))
            return (SourceReference(mailbox: mailbox.name, place: place), mailbox.policy)
        }
    }

    /// - Parameter isOlder: the record does not say whether an administrator vouched for it.
    private func policy(isOlder: Bool) -> RoutingPolicy {
        switch unvouched {
        case .asMailbox(let policy): policy
        case .isTrusted where isOlder: vouched
        case .isTrusted, .waits: vouched.trusting(Self.noSender)
        }
    }
}
