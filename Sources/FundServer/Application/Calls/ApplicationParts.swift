internal import FundHTTP
internal import FundCore
internal import Ingest

/// The services that every interface works with: the store, and what the server keeps between requests.
struct ApplicationParts: Sendable {
    let store: ServerStore
    let authenticator: Authenticator
    let downloads: Downloads
    let zipFiles: ZipFiles
    let uploads: UploadIntake
    let resumable: ResumableIntake
    let desk: DeskService
    let limits: ServerLimits
    let logins: UnprovenBodies
    /// Room for the forms of pages without a session, except those where one signs in.
    let forms: UnprovenBodies
    let readers: BodyReaders
    let notifier: ChangeNotifier
    let deskNotifier: DeskNotifier
    let contents: ContentDirectory
    let keptFiles: KeptFiles
    /// Nil for a server without previews.
    let previews: PreviewResponses?
    let cursors: CursorSeal
    let changeCursors: ChangeCursorSeal
    let sanitizer: (any MailSanitizer)?
    let health: HealthOverview
    /// See `ServerParts`.
    let failedScans: @Sendable (_ limit: Int) async -> [FailedScan]
    let mailboxes: MailboxService
    let doctor: DoctorService

    /// The fund to which routing would take a subject. Runs on a thread that may block: it may have to read all funds,
    /// and compares the subject with all names of the user's.
    func rehearse(_ subject: String, of user: User) async throws -> RoutingDecision {
        try await BlockingThreads.run { [desk] in
            try desk.refiling.rehearse(subject: subject, of: user)
        }
    }
}
