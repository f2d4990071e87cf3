internal import Foundation
import FundStore
import FundCore
import Ingest
import Logging
import TestSupport

@testable import FundHTTP
@testable import FundServer

/// A server over a store of its own, for one test.
final class ServerHarness: Sendable {
    struct Options: Sendable {
        var settings = HTTPServer.Settings()
        var certificates: CertificateSource?
        var accounts = AccountSettings()
        var now: @Sendable () -> Timestamp = { .now }
        var sanitizer: (any MailSanitizer)?
        var previews: (any PreviewSource)?
        /// Nil: drives are off.
        var drives: (any DriveOperations)?
        var driveSigningIn: (any DriveSigningIn)?
        /// Nil: webhooks are off.
        var webhooks: (any WebhookSending)? = SampleReceiver()
        var newsIsOn: @Sendable () -> Bool = { true }
        var mailAddress: String?
        var restorableDays: Int?
        /// Nil: letters are off.
        var letterServer: LetterServer?
        var profiles: (any ProfileSource)? = SampleProfiles()
        /// Nil looks at the store alone.
        var checks: [HealthCheck]?
        var figures = HealthFigures()
        /// Nil polls `funds`, where each run finds nothing.
        var mailboxes: (@Sendable (FundStore) -> any MailboxPolling)?
        var check = SampleCheck([Finding(.ok, subject: .store, "all is well")])
        var setup = SetupParts()
        var demo: DemoSite?
        /// Nil serves everything.
        var interfaces: [any ServerInterface]?
        /// Interfaces beside those, made of the parts of the pages.
        var further: @Sendable (PageParts) -> [any ServerInterface] = { _ in [] }

        init() {
            settings.port = 0
            // Hashes as weak as this take a millisecond.
            accounts.scrypt = TestPeople.weakScrypt
        }
    }

    /// Where everything of the harness lies; goes away with it.
    let folder: String
    let store: FundStore
    let people: TestPeople
    let metrics: ServerMetrics
    let isEncrypted: Bool
    /// Bytes of resumable uploads that came and are not written yet. It holds no upload open.
    let unwrittenBytes: @Sendable () -> Int
    /// Nil without the pages of links.
    let shareLinks: ShareLinks?
    /// Nil without WebDAV.
    let davChanges: KeyedMutex<ChangeScope>?
    private let server: RunningServer

    var port: Int { server.port }
    var baseURL: String { "\(isEncrypted ? "https" : "http")://\(isEncrypted ? "localhost" : "127.0.0.1"):\(port)" }

    /// The store with which all harnesses begin, filled once.
    private static let beginning = Task {
        try await FolderTemplate.filled { folder in
            let store = try FundStore.open(at: folder, mode: .create)
            let people = try await TestPeople(in: store)
            try store.close()
            return people
        }
    }

    init(_ options: Options = Options()) async throws {
        folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "fundserver"))"
        let beginning = try await Self.beginning.value
        try TestFile.makeDirectory(folder)
        try beginning.template.copy(to: folder + "/store")
        store = try FundStore.open(at: folder + "/store", mode: .existing, searchWait: .seconds(300))
        people = beginning.made
        isEncrypted = options.certificates != nil
        var logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        logger.logLevel = .info
        let metrics = ServerMetrics()
        self.metrics = metrics
        var interfaces = try options.interfaces ?? Self.interfaces(store, options, metrics, logger)
        let pages = interfaces.lazy.compactMap({ $0 as? SharedPages }).first?.parts
        shareLinks = pages?.web.links
        if let pages { interfaces += options.further(pages) }
        davChanges = interfaces.lazy.compactMap({ $0 as? WebDAV }).first?.changes
        let uploads = interfaces.lazy.compactMap { $0 as? WebAPI }.first?.parts.resumable.table
        unwrittenBytes = { [weak uploads] in uploads?.unwrittenBytes ?? 0 }
        server = try await RunningServer(logger, shutdownDeadline: options.settings.limits.shutdownDeadline) {
            [logger, interfaces] in
            try HTTPServer(
                options.settings, interfaces: interfaces, metrics: metrics, certificates: options.certificates,
                hasNoSecrets: options.demo != nil, logger: logger,
                onUse: { [previews = options.previews] in previews?.noteUse() }, onListening: $0)
        }
    }

    private static func interfaces(
        _ store: FundStore, _ options: Options, _ metrics: ServerMetrics, _ logger: Logger
    ) throws -> [any ServerInterface] {
        let refiling = RefilingService(
            mail: store.mail, parser: SampleParser(), limits: { ParseLimits() },
            policy: { _, trust in RoutingPolicy(trust: trust) })
        var parts = ServerParts(
            store: ServerStore(
                accounts: store.accounts, library: store.library, archive: store.library.archive,
                administration: store.administration, mail: store.mail, quarantine: store.quarantine,
                outbox: store.outbox, letters: store.letters, links: store.links,
                contacts: store.contacts, news: store.news, drives: store.drives,
                webhooks: store.webhooks),
            desk: DeskService(refiling: refiling, store: store.administration),
            mailboxes: options.mailboxes?(store) ?? SampleMailboxes(in: store),
            check: options.check, now: options.now)
        parts.accounts = options.accounts
        parts.sanitizer = options.sanitizer
        parts.feedParser = DirectFeedParser()
        parts.previews = options.previews
        parts.drives = options.drives
        parts.driveSigningIn = options.driveSigningIn
        parts.webhooks = options.webhooks
        parts.newsIsOn = options.newsIsOn
        parts.mailAddress = { options.mailAddress }
        parts.restorableDays = { options.restorableDays }
        parts.letterServer = { options.letterServer }
        parts.profiles = options.profiles
        parts.setup = options.setup
        parts.demo = options.demo
        parts.healthFigures = { options.figures }
        parts.failedScans = { (try? await store.previews.failedScans(limit: $0)) ?? [] }
        parts.checks =
            options.checks ?? [
                HealthCheck("store") {
                    do { try await store.maintenance.checkWritable() } catch { return "\(error)" }
                    return nil
                }
            ]
        return try parts.interfaces(options.settings, metrics: metrics, logger: logger)
    }

    /// Stops the server and waits until it is through.
    func stop() async throws {
        try await server.stop()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// One exchange over a connection of its own.
    func raw(_ request: String, hasBody: Bool = true) async throws -> RawHTTPResponse? {
        try await server.exchange(request, hasBody: hasBody)
    }

    /// One request with a body, over a connection of its own.
    func send(
        _ method: String, _ target: String, token: String? = nil, fields: [String: String] = [:], body: [UInt8]? = nil,
        port: Int? = nil
    ) async throws -> RawHTTPResponse {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port ?? self.port)\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let connection = try RawHTTPConnection(port: port ?? self.port)
        await connection.send(Array((head + "\r\n").utf8) + (body ?? []))
        guard let response = await connection.response(hasBody: method != "HEAD") else {
            throw ServerFailure("no answer to \(method) \(target)")
        }
        return response
    }

    /// One request with JSON.
    func send(_ method: String, _ target: String, token: String? = nil, json: String) async throws -> RawHTTPResponse {
        try await send(
            method, target, token: token, fields: ["Content-Type": "application/json"], body: Array(json.utf8))
    }

    /// Makes a credential while its user is enabled: a disabled one is given nothing.
    func beforeDisabling<Credential: Sendable>(
        _ user: User, _ give: () async throws -> Credential
    ) async throws -> Credential {
        try await store.administration.setDisabled(false, user: user.id, actor: "test")
        let credential = try await give()
        try await store.administration.setDisabled(true, user: user.id, actor: "test")
        return credential
    }

    /// For WebDAV.
    func appPassword(of user: User, reach: TokenReach = .files) async throws -> IssuedToken {
        try await Accounts(store: store.accounts).addAppPassword(
            "app", reach: reach, for: user, at: 1_700_000_000, actor: "test")
    }

    /// A token of the web API, for one who signed in.
    func token(of user: User, issuedAt: Timestamp? = nil) async throws -> String {
        let authenticator = try Authenticator(
            store: store.accounts, now: { issuedAt ?? .now })
        return try await authenticator.issueToken(.web, for: user, label: "test").characters
    }
}
