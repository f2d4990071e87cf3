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
    /// Room for the bodies of users.
    let bodies: UserBodies
    let readers: BodyReaders
    let notifier: ChangeNotifier
    let deskNotifier: DeskNotifier
    let contents: ContentDirectory
    let keptFiles: KeptFiles
    /// Nil for a server without previews.
    let previews: PreviewResponses?
    /// Nil for a server without previews.
    let newsPDFs: NewsPDFs?
    let links: ShareLinks
    let people: PeopleIndexes
    /// See `ServerParts`.
    let directory: @Sendable () -> CompanyDirectory?
    let cursors: CursorSeal
    let changeCursors: ChangeCursorSeal
    let sanitizer: (any MailSanitizer)?
    /// See `ServerParts`.
    let newsIsOn: @Sendable () -> Bool
    /// See `ServerParts`.
    let newsSource: (any NewsSource)?
    /// See `ServerParts`.
    let feedParser: (any FeedParser)?
    /// See `ServerParts`.
    let drives: (any DriveOperations)?
    /// See `ServerParts`.
    let driveSigningIn: (any DriveSigningIn)?
    /// Nil where webhooks are off.
    let webhooks: (any WebhookSending)?
    let driveSignIns = DriveSignIns()
    let driveListings = DriveListings()
    let driveDownloads = DriveDownloads()
    let drivePreviews = DrivePreviews()
    let transferRates = TransferRates()
    /// The room of drives, which stores take a while to tell.
    let driveSpaces = FreshValues<UserDrive, DriveSpace>(lifetime: .seconds(60), maxEntries: 1024)
    /// The room of drives for lists; nil for a store that did not tell it.
    let listedDriveSpaces = FreshValues<UserDrive, DriveSpace?>(lifetime: .seconds(60), maxEntries: 1024)
    /// Stores that lists of a user ask for their room at the same time: slow ones keep no permit of those that the user
    /// waits for.
    static let maxSpacesAsked = 2
    let listedDrivePermits = UserPermits(most: maxSpacesAsked)
    /// Operations on drives but downloads: each has a process that asks the store.
    let drivePermits = UserPermits(most: 6)
    /// Searches for feeds at addresses that people typed, which take as long as other servers do.
    let newsSearches = UserPermits(most: 2)
    /// Messages to receivers that a person waits for.
    let webhookTests = UserPermits(most: 1)
    /// Files of contacts and of feeds that are read whole: one of a user at a time, from before it comes.
    let fileImports = UserPermits(most: 1)
    let health: HealthOverview
    /// See `ServerParts`.
    let failedScans: @Sendable (_ limit: Int) async -> [FailedScan]
    /// See `ServerParts`.
    let letterServer: @Sendable () -> LetterServer?
    /// See `ServerParts`.
    let profiles: (any ProfileSource)?
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
