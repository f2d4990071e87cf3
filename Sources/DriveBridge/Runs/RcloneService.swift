internal import Crypto
internal import Dispatch
internal import FundCore
internal import Glibc
internal import Synchronization

/// A child of rclone that gives the bytes of one file after the other: small files would take as long as the start of a
/// child. It is asked by HTTP in its own network, with a password that it alone has, and ends when it is not asked.
final class RcloneService: Sendable {
    static let port: UInt16 = 5572
    /// Connections for all of its time: those that broke or were cancelled do not come back.
    private static let maxConnections = 32
    /// Connections with which it is used on.
    private static let leastConnections = 8

    private let run: RcloneRun
    private let pace: DrivePace
    private let authorization: String
    private let connections: ResourcePool<ServiceConnection>
    private let left: Mutex<Int>
    /// Sections of its configuration, with the requests that go on by each.
    private let sections: Mutex<[(name: String, requests: Int)]>
    private let stop: StopMark

    /// Starts a child. Throws `DriveError`.
    /// - Parameters:
    ///   - pace: the least pace of a file.
    ///   - start: makes the run of a command.
    static func start(
        _ remote: RemoteConfiguration, _ pace: DrivePace, _ start: (RcloneCommand) throws -> RcloneRun
    ) async throws -> RcloneService {
        let password = Base64.urlText(RandomBytes.make(32))
        let digest = Base64.paddedText(Array(Insecure.SHA1.hash(data: Array(password.utf8))))
        var command = RcloneCommand(
            words: [
                "rcd", "--rc-addr", "127.0.0.1:\(port)", "--rc-serve", "--rc-htpasswd", RcloneCommand.accountsPath,
                "--rc-server-read-timeout", "24h", "--rc-server-write-timeout", "24h",
            ], file: remote.serviceFile)
        command.accounts = Array("fundmail:{SHA}\(digest)\n".utf8)
        command.clients = maxConnections
        command.pace = pace
        let run = try start(command)
        let sockets = try await sockets(of: run)
        let basic = Base64.paddedText(Array("fundmail:\(password)".utf8))
        let connections = sockets.map {
            ServiceConnection(takingOwnershipOf: $0, silentSeconds: pace.silentSeconds)
        }
        return RcloneService(run, pace, "Basic \(basic)", connections, remote.sections, try StopMark())
    }

    private init(
        _ run: RcloneRun, _ pace: DrivePace, _ authorization: String, _ connections: [ServiceConnection],
        _ sections: [String], _ stop: StopMark
    ) {
        (self.run, self.pace, self.authorization, self.stop) = (run, pace, authorization, stop)
        self.sections = Mutex(sections.map { (name: $0, requests: 0) })
        self.connections = ResourcePool(connections, maxWaiting: 200)
        left = Mutex(connections.count)
    }

    deinit { end() }

    /// Runs it on a thread of its own. Gives its sockets as soon as they are there.
    private static func sockets(of run: RcloneRun) async throws -> [Int32] {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[Int32], any Error>) in
            let box = WaitingStart(continuation)
            let isStarted = OwnThread.start {
                do {
                    _ = try run.run(ready: { box.resume(.success($0)) }, take: { _ in })
                    box.resume(.failure(DriveError(.broken)))
                } catch {
                    box.resume(.failure(error))
                }
            }
            if !isStarted { box.resume(.failure(DriveError(.broken, "there is no room for another thread"))) }
        }
    }

    /// Whether it can be asked for another file.
    var isUsable: Bool { !run.isEnded && left.withLock { $0 >= Self.leastConnections } }
    var isIdle: Bool { connections.idle.count == left.withLock { $0 } }

    func end() {
        stop.set()
        run.cancel()
        _ = connections.close()
    }

    /// The reason for which a connection to the store did not come about.
    var failure: DriveError? { run.failure }

    /// Gives the bytes of a file from a position on.
    ///
    /// Throws what `take` throws; `ServiceGap` when it must be asked another way, before the first byte; `DriveError`.
    func read(
        _ path: String, from position: Int64,
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws {
        try await withConnection { [self] connection in
            try withSection { try get(path, $0, position, connection, take) }
        }
    }

    /// Entry of a file as the store tells it; nil where no file stands. Throws as `read`.
    /// - Parameter listing: options of listings, see `RemoteConfiguration.listing`.
    func file(at path: String, _ listing: [String], naming names: [String]) async throws -> ListedEntry? {
        try await withConnection { [self] connection in
            try withSection { try stat(StatRequest($0, path, listing), names, connection) }
        }
    }

    /// Calls `body` with a connection on a thread of its own. Throws `ServiceGap` when none is free; one that failed is
    /// not used again.
    private func withConnection<Value: Sendable>(
        _ body: @escaping @Sendable (ServiceConnection) throws -> Value
    ) async throws -> Value {
        let connection: ServiceConnection
        do { connection = try await connections.acquire() } catch is ResourcePoolError { throw ServiceGap() }
        let isWhole = Atomic<Bool>(false)
        defer {
            if isWhole.load(ordering: .relaxed) {
                connections.release(connection)
            } else {
                left.withLock { $0 -= 1 }
            }
        }
        return try await withTaskCancellationHandler {
            let value: Value
            do {
                value = try await DispatchQueue.runAlone("fundmail.drives.read") {
                    let value = try body(connection)
                    isWhole.store(true, ordering: .relaxed)
                    return value
                }
            } catch  where Task.isCancelled {
                throw CancellationError()
            }
            try Task.checkCancellation()
            return value
        } onCancel: {
            connection.end()
        }
    }

    /// Calls `body` with the section by which the fewest requests go on.
    private func withSection<Value>(_ body: (String) throws -> Value) throws -> Value {
        let (number, name) = sections.withLock { sections in
            let number = sections.indices.min { sections[$0].requests < sections[$1].requests } ?? 0
            sections[number].requests += 1
            return (number, sections[number].name)
        }
        defer { sections.withLock { $0[number].requests -= 1 } }
        return try body(name)
    }

    private func get(
        _ path: String, _ section: String, _ position: Int64, _ connection: ServiceConnection,
        _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let target = PercentCoding.encoded(path) { PercentCoding.isUnreserved($0) || $0 == .slash }
        var isBegun = false
        let range = position > 0 ? "Range: bytes=\(position)-\r\n" : ""
        let request = head("GET", "%5B\(section):%5D/\(target)", range)
        let answer = try connection.ask(request, until: stop, pace) { answer in
            isBegun = true
            // The end of a file is no part of it that a store would give.
            if let total = answer.total, total <= position {
                throw total == position ? ServiceGap() : DriveError(.changed)
            }
            // A pipe is faster than connections within the child's network, and small files alone need to be.
            guard let length = answer.length, length <= Self.maxBytes else { throw ServiceGap() }
            // rclone says of every failure that there is no such file: a child of its own says why.
            let isFile = answer.status == 200 && position == 0 || answer.status == 206
            guard isFile else { throw ServiceGap() }
        } take: { bytes in
            try take(bytes)
        }
        guard answer != nil else {
            // It may have ended since nothing was asked for long.
            if !isBegun, failure == nil { throw ServiceGap() }
            throw failure ?? DriveError(.unreachable)
        }
        // A file that was replaced in the moment in which it was asked for may have been cut: rclone announces the size
        // of the one before, and closes the connection after the bytes of another one. This asks the store for nothing.
        let after = try connection.ask(head("OPTIONS", ""), until: stop, pace, begin: { _ in }, take: { _ in })
        guard let after, after.status == 200, after.length == 0 else { throw DriveError(.changed) }
    }

    private func stat(
        _ asked: StatRequest, _ names: [String], _ connection: ServiceConnection
    ) throws -> ListedEntry? {
        let json = try asked.json
        let fields = "Content-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n"
        var (body, isTooLong, isBegun) = ([UInt8](), false, false)
        let request = head("POST", "operations/stat", fields) + json
        let answer = try connection.ask(request, until: stop, pace) { _ in
            isBegun = true
        } take: { bytes in
            isTooLong = isTooLong || body.count + bytes.count > Self.maxMessageBytes
            if !isTooLong { body += bytes }
        }
        guard let answer else {
            // It may have ended since nothing was asked for long.
            if !isBegun, failure == nil { throw ServiceGap() }
            throw failure ?? DriveError(.unreachable)
        }
        guard answer.status == 200 else {
            let error = RcloneErrors.error(StatRequest.failure(body), status: 1, besides: names)
            if error.problem == .notFound { return nil }
            throw error.problem == .server || error.problem == .unreachable ? failure ?? error : error
        }
        guard !isTooLong else { throw ServiceGap() }
        return try StatRequest.file(body)
    }

    private func head(_ method: String, _ target: String, _ fields: String = "") -> String {
        "\(method) /\(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: \(authorization)\r\n\(fields)\r\n"
    }

    /// Larger files are read by a child of their own.
    static let maxBytes: Int64 = 8 << 20
    private static let maxMessageBytes = 16 << 10
}

/// The service does not answer this; another child does.
struct ServiceGap: Error {}

/// The task that waits for a start. It is resumed once.
private final class WaitingStart: Sendable {
    private let waiting: Mutex<CheckedContinuation<[Int32], any Error>?>

    init(_ continuation: CheckedContinuation<[Int32], any Error>) { waiting = Mutex(continuation) }

    func resume(_ result: Result<[Int32], any Error>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(with: result)
    }
}
