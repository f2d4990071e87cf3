package import FundCore
internal import ChildProcesses
internal import Dispatch
internal import Glibc

/// People's drives by rclone: one confined child for each operation, which reaches nothing but what its own proxy
/// lets it reach.
package final class RcloneDrives: DriveOperations {
    /// Limit of operations that carry no file.
    static let answerSeconds = 120.0
    static let listSeconds = 900.0

    let store: any DriveStore
    let policy: EgressPolicy
    private let executable: String
    private let authorities: [UInt8]?
    private let children: DriveChildren
    /// One file is written by one operation at a time: both would fill the same part.
    let writing: KeyedMutex<String>
    private let services: ServiceTable
    let tokens: TokenKeeper
    /// Names that stand twice, in stores that allow it.
    let repeated: RepeatedNames
    let limits: RunLimits

    package let offReason: String?
    package let kinds: [DriveKind]

    /// Tries on this machine whether a child can be confined. Blocks for some 100 ms.
    ///
    /// Throws `DriveError` with `settings` when the file of authorities cannot be read.
    /// - Parameters:
    ///   - executable: a program that runs `DriveLauncher` for its command.
    ///   - substitutes: addresses by host, instead of those of the system; for tests.
    ///   - limits: others only in tests.
    ///   - now: the clock of pauses between requests for tokens; another only in tests.
    package convenience init(
        _ store: any DriveStore, _ rules: DriveRules, executable: String = "/proc/self/exe",
        substitutes: [String: String] = [:], limits: RunLimits = RunLimits(),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws {
        var policy = EgressPolicy(rules: rules)
        policy.resolver = NameResolver { host, port in
            guard let text = substitutes["\(host):\(port)"] ?? substitutes[host] else {
                return NameResolver.system.endpoints(host, port)
            }
            let parts = text.split(separator: ":", maxSplits: 1)
            return parts.first.flatMap { IPAddress(host: String($0)) }.map {
                [Endpoint(address: $0, port: parts.count == 2 ? UInt16(parts[1]) ?? port : port)]
            } ?? []
        }
        try self.init(store, policy, executable: executable, limits, now: now)
    }

    init(
        _ store: any DriveStore, _ policy: EgressPolicy, executable: String, _ limits: RunLimits,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws {
        (self.store, self.policy, self.executable) = (store, policy, executable)
        authorities = try policy.rules.authorityFile.map(Self.authorities)
        kinds = DriveKind.allCases.filter { policy.rules.offers($0) }
        tokens = TokenKeeper(store, TokenExchange(policy: policy, limit: limits.tokenWait), now: now)
        (children, writing, services, repeated) = (DriveChildren(), KeyedMutex(), ServiceTable(), RepeatedNames())
        self.limits = limits
        offReason = DriveConfinement.problem(executable: executable)
    }

    private init(_ drives: RcloneDrives, _ limits: RunLimits) {
        (store, policy, executable, authorities) = (drives.store, drives.policy, drives.executable, drives.authorities)
        (children, writing, services) = (drives.children, drives.writing, drives.services)
        (tokens, repeated) = (drives.tokens, drives.repeated)
        (offReason, kinds) = (drives.offReason, drives.kinds)
        self.limits = limits
    }

    /// These drives for work in the background, which waits for its turn however long that takes. People are told after
    /// a time that the machine is busy.
    package var patient: RcloneDrives {
        var limits = limits
        limits.maxWait = nil
        return RcloneDrives(self, limits)
    }

    private static let maxAuthorityBytes = 1 << 20

    private static func authorities(in path: String) throws -> [UInt8] {
        do { return try WholeFile.read(path, maxBytes: maxAuthorityBytes) } catch {
            throw DriveError(.settings, "\(path): \(error)")
        }
    }

    // MARK: Runs

    /// Settings that may be used, as rclone has them.
    func remote(_ settings: DriveSettings) throws -> RemoteConfiguration {
        if offReason != nil { throw DriveError(.off) }
        guard kinds.contains(settings.kind) else { throw DriveError(.forbidden, settings.kind.title) }
        for field in settings.kind.fields where field.form == .address {
            guard let address = settings[field.name].flatMap(DriveAddress.init) else { continue }
            try policy.verdict(on: address.host, address.port)
        }
        return try RemoteConfiguration(settings)
    }

    /// Runs rclone to its end on a thread of its own. Throws `DriveError` when it fails, the errors of `take` and
    /// `fill`, and `CancellationError` when the task is cancelled.
    /// - Parameters:
    ///   - names: names of files that its messages may hold.
    ///   - maxSeconds: nil for as long as bytes flow.
    ///   - use: the work that it does.
    ///   - file: the file to which it appends what it writes; nil where `take` gets that.
    func run(
        _ words: [String], _ remote: RemoteConfiguration, naming names: [String], atMost maxSeconds: Double?,
        for use: DriveChildren.Use = .answer, appendingTo file: (any GrowingFile)? = nil,
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void = { _ in },
        fill: (@Sendable (UnsafeMutableRawBufferPointer) throws -> Int)? = nil
    ) async throws {
        var command = RcloneCommand(
            words: words, file: remote.file, authorities: authorities, maxSeconds: maxSeconds,
            maxBytes: use == .answer && maxSeconds != nil ? limits.maxAnswerBytes : nil, pace: limits.pace)
        if use == .file, fill == nil { command.dataBytes = limits.readingBytes }
        let place = try await children.place(for: use, of: remote.owner, within: limits.maxWait)
        defer { children.release(place) }
        do {
            let run = try RcloneRun(command, policy.limited(to: remote.hosts), executable: executable)
            let end = try await withTaskCancellationHandler {
                try await DispatchQueue.runAlone("fundmail.drives.child") {
                    if let file { try run.run(appendingTo: file) } else { try run.run(fill: fill, take: take) }
                }
            } onCancel: {
                run.cancel()
            }
            guard end.status != 0 else { return }
            var error = RcloneErrors.error(end.errors, status: end.status, besides: names)
            // A store that is read needs no room; the file does.
            if file != nil, error.problem == .full { error = DriveError(.noRoomHere) }
            // The proxy knows more of the cause than rclone.
            let causes: [DriveProblem] = [.server, .unreachable, .tooSlow]
            throw causes.contains(error.problem) ? end.failure ?? error : error
        } catch let error as ProcessError {
            throw DriveError(.broken, "\(error)")
        }
    }

    /// The child that gives bytes of files of a drive, where it runs.
    func runningService(of remote: RemoteConfiguration) -> RcloneService? { remote.key.flatMap(services.running) }

    /// A child that gives bytes of files of a drive; nil when as many as may be are busy.
    func service(of remote: RemoteConfiguration) async throws -> RcloneService? {
        guard let key = remote.key else { return nil }
        let (policy, authorities, pace) = (policy.limited(to: remote.hosts), authorities, limits.pace)
        let (executable, readingBytes) = (executable, limits.readingBytes)
        return try await services.service(key) {
            do {
                return try await RcloneService.start(remote, pace) { command in
                    var command = command
                    (command.authorities, command.dataBytes) = (authorities, readingBytes)
                    return try RcloneRun(command, policy, executable: executable)
                }
            } catch let error as ProcessError {
                throw DriveError(.broken, "\(error)")
            }
        }
    }

    /// Operations that have a child of their own.
    var runningCount: Int { children.takenCount }

    /// Operations that wait for a child.
    var waitingCount: Int { children.waitingCount }

    /// Does something with a drive of a user, and notes how the drive is.
    func withDrive<Result: Sendable>(
        _ id: Drive.ID, _ user: User.ID, _ work: (RemoteConfiguration) async throws -> Result
    ) async throws -> Result {
        do {
            let access = try await access(to: id, user)
            let result: Result
            do {
                result = try await work(try remote(access))
            } catch let error as DriveError where error.problem == .login && access.settings.kind.usesOAuth {
                // The store may have ended the access token before its time.
                result = try await work(try remote(try await self.access(to: id, user, afterRefusalOf: access)))
            }
            try? await store.noteProblem(nil, of: id)
            return result
        } catch let error as DriveError {
            // A problem with one file says that the store works.
            if let isDown = error.problem.isOfDrive {
                try? await store.noteProblem(isDown ? error.problem : nil, of: id)
            }
            throw error
        }
    }
}

extension DriveProblem {
    /// Whether the drive as a whole does not work; false where its store answered; nil where that is not known.
    fileprivate var isOfDrive: Bool? {
        switch self {
        case .forbidden, .settings, .login, .privateAddress, .unreachable, .certificate, .tooSlow: true
        case .notFound, .alreadyExists, .refused, .full, .name, .ambiguous, .tooLarge, .tooMany, .changed: false
        case .off, .busy, .server, .broken, .placeGone, .heldBack, .noRoomHere, .overQuota: nil
        }
    }
}
