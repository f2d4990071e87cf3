internal import CLinux
internal import CPostgreSQL
internal import FundCore
internal import Glibc

/// A connection of libpq whose every wait has an end (https://www.postgresql.org/docs/15/libpq-async.html). libpq's own
/// blocking calls have none once a server accepted a connection and says nothing more.
///
/// One thread at a time uses it.
final class PostgreSQLLine {
    /// Pause between two looks for an interruption where eventfd(2) gave no descriptor.
    private static let maxWait = Duration.seconds(1)

    /// Why a statement was asked to end.
    private enum Ending {
        case late, interrupted
    }

    private let connection: OpaquePointer  // PGconn *, owned
    private var cancelling: CancelRequest?
    private let answerLimit: Duration
    /// Set while a task waits for what runs on the line.
    var interruption: Interruption?
    /// The transaction has sent COMMIT: a line that ends now leaves open whether it was kept.
    var isCommitting = false
    /// Whether a statement was asked to end: behind a pooler the wish may reach a later statement of this connection.
    private(set) var wasCancelled = false

    /// Connects to the first of the hosts that answers and takes writes. Throws `unreachable`, `refused`, `busy`,
    /// `cancelled`: the error of the last host.
    init(_ settings: PostgreSQLSettings, interruption: Interruption? = nil) throws(PostgreSQLError) {
        (answerLimit, self.interruption) = (settings.timeouts.answer, interruption)
        var (opened, failure): (OpaquePointer?, PostgreSQLError?)
        for keywords in settings.allByHost where opened == nil && failure?.code != .cancelled {
            do throws(PostgreSQLError) {
                opened = try Self.connected(keywords, until: .now + settings.timeouts.connect, interruption)
            } catch { failure = error }
        }
        guard let opened else {
            throw failure ?? PostgreSQLError(.unreachable, "connect", "there is no host to connect to")
        }
        connection = opened
    }

    deinit { fundmail_PQfinish(connection) }

    /// A connection that stands, owned by the caller.
    private static func connected(
        _ keywords: [String: String], until end: ContinuousClock.Instant, _ interruption: Interruption?
    ) throws(PostgreSQLError) -> OpaquePointer {
        guard let opened = open(keywords) else {
            throw PostgreSQLError(.unreachable, "connect", "there is no memory for a connection")
        }
        do throws(PostgreSQLError) {
            try connect(opened, until: end, interruption)
            guard fundmail_PQsetnonblocking(opened, 1) == 0 else { throw failure(of: opened, .unreachable, "connect") }
            _ = fundmail_PQsetErrorVerbosity(opened, PQERRORS_DEFAULT)
            return opened
        } catch {
            fundmail_PQfinish(opened)
            throw error
        }
    }

    private static func open(_ keywords: [String: String]) -> OpaquePointer? {
        var (names, values): ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) = ([], [])
        for (name, value) in keywords {
            names.append(UnsafePointer(strdup(name)))
            values.append(UnsafePointer(strdup(value)))
        }
        defer { for text in names + values { free(UnsafeMutablePointer(mutating: text)) } }
        let opened = fundmail_PQconnectStartParams(names + [nil], values + [nil], 0)
        if let opened {
            // Notices of the server are of no interest; libpq would write them to standard error.
            _ = fundmail_PQsetNoticeProcessor(opened, { _, _ in }, nil)
            // The text of a refused login has the server's code with this alone.
            _ = fundmail_PQsetErrorVerbosity(opened, PQERRORS_VERBOSE)
        }
        return opened
    }

    private static func connect(
        _ connection: OpaquePointer, until end: ContinuousClock.Instant, _ interruption: Interruption?
    ) throws(PostgreSQLError) {
        guard fundmail_PQstatus(connection) != CONNECTION_BAD else { throw refusal(of: connection) }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            switch wait(fundmail_PQsocket(connection), Int16(events), until: end, interruption) {
            case .ready: break
            case .late: throw PostgreSQLError(.unreachable, "connect", "the server does not answer in time")
            case .interrupted: throw PostgreSQLError(.cancelled, "connect", "the task was cancelled")
            }
            state = fundmail_PQconnectPoll(connection)
            guard state != PGRES_POLLING_FAILED else { throw refusal(of: connection) }
        }
    }

    /// The error of a login, by the server's code in its text: `FATAL:  28P01: …`. Errors of libpq itself have none.
    private static func refusal(of connection: OpaquePointer) -> PostgreSQLError {
        var error = failure(of: connection, .unreachable, "connect")
        if let place = error.message.firstRange(of: " LOCATION:") { error.message.removeSubrange(place.lowerBound...) }
        if let found = error.message.firstMatch(of: /:\s{2}([0-9A-Z]{5}):\s/) {
            let state = String(found.output.1)
            let code = PostgreSQLError.code(ofState: state)
            error.state = state
            // The login is over; nothing was begun that could be lost.
            error.code = [.refused, .busy, .full].contains(code) ? code : .unreachable
            error.message.replaceSubrange(found.range, with: ": ")
        } else if ["SSL", "certificate", "no password supplied"].contains(where: error.message.contains) {
            error.code = .refused
        }
        return error
    }

    // MARK: State

    /// Whether the connection is of no more use.
    var isBroken: Bool { fundmail_PQstatus(connection) == CONNECTION_BAD || isGivenUp }
    private var isGivenUp = false

    /// Has no statement run on this line any more: its state is not known.
    func giveUp() { isGivenUp = true }

    var serverVersion: Int { Int(fundmail_PQserverVersion(connection)) }
    /// The server's process, as the answer to the login named it. A pooler makes one up.
    var announcedProcess: Int { Int(fundmail_PQbackendPID(connection)) }
    var isEncrypted: Bool { fundmail_PQsslInUse(connection) == 1 }
    var isInTransaction: Bool { fundmail_PQtransactionStatus(connection) != PQTRANS_IDLE }

    /// Whether nothing has come without being asked for. Between statements that is the news that the server ends the
    /// connection, or its end.
    var isQuiet: Bool {
        var look = pollfd(fd: fundmail_PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&look, 1, 0) == 0
    }

    /// Waits for something to come from the server. Returns false after `limit`, and when it was interrupted. Throws
    /// `lost`.
    func waitForNews(atMost limit: Duration) throws(PostgreSQLError) -> Bool {
        guard Self.wait(fundmail_PQsocket(connection), Int16(POLLIN), until: .now + limit, interruption) == .ready
        else {
            return false
        }
        guard fundmail_PQconsumeInput(connection) == 1 else { throw lost("listen") }
        return true
    }

    /// Takes the notifications that have come, and returns their number.
    func takeNotifications() -> Int {
        var count = 0
        while let notification = fundmail_PQnotifies(connection) {
            fundmail_PQfreemem(notification)
            count += 1
        }
        return count
    }

    // MARK: Statements

    /// Sends something and takes its results until the last, which is given. Throws the first error among them.
    ///
    /// - Parameters:
    ///   - limit: after which the server is asked to end it, and the connection is given up when it does not.
    ///   - each: called with each result; false ends no statement, but keeps it from being called again.
    func run(
        _ operation: String, atMost limit: Duration, isInterruptible: Bool = true,
        each: ((PostgreSQLResult) throws -> Bool)? = nil, send: (OpaquePointer) -> Int32
    ) throws -> PostgreSQLResult {
        guard !isBroken else { throw lost(operation) }
        guard send(connection) == 1 else {
            if fundmail_PQstatus(connection) == CONNECTION_BAD { throw lost(operation) }
            throw Self.failure(of: connection, .misuse, operation)
        }
        var wait = Wait(operation: operation, end: .now + limit, isInterruptible: isInterruptible)
        try flush(&wait)
        var (last, failure, each): (PostgreSQLResult?, (any Error)?, _) = (nil, nil, each)
        while let result = try next(&wait) {
            if let error = result.error(operation, ending: wait.error) {
                if failure == nil { failure = error }
            } else if result.isCopy {
                last = result
                break  // the caller goes on
            } else if let call = each, failure == nil {
                do { if try !call(result) { each = nil } } catch {
                    failure = error
                    each = nil
                }
            }
            last = result
        }
        settle()
        if let failure {
            // The news that the server ends the connection comes before its end.
            if let error = failure as? PostgreSQLError, error.code == .lost {
                giveUp()
                if isCommitting { throw uncertain(operation, error.message) }
            }
            throw failure
        }
        guard let last else { throw lost(operation) }
        return last
    }

    /// Sends a piece of COPY, or its end.
    func put(_ operation: String, atMost limit: Duration, _ send: (OpaquePointer) -> Int32) throws(PostgreSQLError) {
        var wait = Wait(operation: operation, end: .now + limit, isInterruptible: true)
        while true {
            let code = send(connection)
            if code == 1 { break }
            guard code == 0 else { throw lost(operation) }
            try flush(&wait)
        }
        try flush(&wait)
    }

    /// The bounds of one statement.
    private struct Wait {
        let operation: String
        var end: ContinuousClock.Instant
        let isInterruptible: Bool
        var ending: Ending?

        /// The error of a statement that the server ended because it was asked to.
        var error: PostgreSQLError? {
            switch ending {
            case .late: PostgreSQLError(.tookTooLong, operation, "it took too long")
            case .interrupted: PostgreSQLError(.cancelled, operation, "the task was cancelled")
            case nil: nil
            }
        }
    }

    /// Sends what libpq holds back, and reads meanwhile: a server that cannot send its answer takes nothing either.
    private func flush(_ wait: inout Wait) throws(PostgreSQLError) {
        while true {
            let code = fundmail_PQflush(connection)
            if code == 0 { return }
            guard code > 0 else { throw lost(wait.operation) }
            try waitForSocket(Int16(POLLIN | POLLOUT), &wait)
            guard fundmail_PQconsumeInput(connection) == 1 else { throw lost(wait.operation) }
        }
    }

    /// The next result of a statement; nil behind the last.
    private func next(_ wait: inout Wait) throws(PostgreSQLError) -> PostgreSQLResult? {
        while fundmail_PQisBusy(connection) == 1 {
            try waitForSocket(Int16(POLLIN), &wait)
            guard fundmail_PQconsumeInput(connection) == 1 else { throw lost(wait.operation) }
        }
        guard let result = fundmail_PQgetResult(connection) else {
            if fundmail_PQstatus(connection) == CONNECTION_BAD { throw lost(wait.operation) }
            return nil
        }
        return PostgreSQLResult(takingOwnershipOf: result)
    }

    /// Waits for the socket. Asks the server to end the statement when it is late or another thread wants that, and
    /// gives the connection up when it then does not end.
    private func waitForSocket(_ events: Int16, _ wait: inout Wait) throws(PostgreSQLError) {
        let isHeeded = wait.isInterruptible || interruption?.endsLine ?? false
        let heeded = isHeeded && wait.ending == nil ? interruption : nil
        switch Self.wait(fundmail_PQsocket(connection), events, until: wait.end, heeded) {
        case .ready: return
        case .late where wait.ending != nil || isCommitting: throw lost(wait.operation)
        case .late: wait.ending = .late
        case .interrupted where heeded?.endsLine ?? false: throw lost(wait.operation)
        case .interrupted: wait.ending = .interrupted
        }
        wait.end = .now + answerLimit
        cancel()
    }

    private func cancel() {
        wasCancelled = true
        cancelling = CancelRequest(for: connection)
        cancelling?.send()
    }

    /// Makes sure that a request to end a statement does not end a later one.
    private func settle() {
        guard let request = cancelling else { return }
        cancelling = nil
        if !request.isOver(within: answerLimit) { giveUp() }
    }

    // MARK: Errors

    /// The error of a connection that has ended.
    func lost(_ operation: String) -> PostgreSQLError {
        giveUp()
        let error = Self.failure(of: connection, .lost, operation)
        return isCommitting ? uncertain(operation, error.message) : error
    }

    private func uncertain(_ operation: String, _ message: String) -> PostgreSQLError {
        PostgreSQLError(.uncertain, operation, "whether the transaction was kept is not known: \(message)")
    }

    private static func failure(
        of connection: OpaquePointer, _ code: PostgreSQLError.Code, _ operation: String
    ) -> PostgreSQLError {
        let text = fundmail_PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return PostgreSQLError(code, operation, line.isEmpty ? "the connection has ended" : line)
    }

    // MARK: Waiting

    private enum Outcome {
        case ready, late, interrupted
    }

    private static func wait(
        _ socket: Int32, _ events: Int16, until end: ContinuousClock.Instant, _ interruption: Interruption?
    ) -> Outcome {
        while true {
            if interruption?.isRequested ?? false { return .interrupted }
            let rest = end - .now
            guard rest > .zero else { return .late }
            var looks = [pollfd(fd: socket, events: events, revents: 0)]
            if let interruption {
                looks.append(pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0))
            }
            guard poll(&looks, nfds_t(looks.count), min(rest, maxWait).pollMilliseconds) > 0 else { continue }
            if looks[0].revents != 0 { return .ready }
        }
    }
}
