internal import CPostgreSQL
internal import FundCore

/// Asks the server, by a connection of its own, to end what a line waits for
/// (https://www.postgresql.org/docs/15/libpq-cancel.html). libpq's call may wait for ever on a dead line, so it runs on
/// a thread of its own.
///
/// @unchecked: `PGcancel` is never changed, and `PQcancel` may be called from any thread.
final class CancelRequest: @unchecked Sendable {
    private let raw: OpaquePointer  // PGcancel *, owned
    private let isAnswered = Interruption()

    /// Nil without memory.
    init?(for connection: OpaquePointer) {
        guard let raw = fundmail_PQgetCancel(connection) else { return nil }
        self.raw = raw
    }

    deinit { fundmail_PQfreeCancel(raw) }

    /// Begins. A request that cannot begin is never answered.
    func send() {
        _ = OwnThread.start { [self] in
            var message = [CChar](repeating: 0, count: 256)
            if fundmail_PQcancel(raw, &message, Int32(message.count)) == 1 { isAnswered.request() }
        }
    }

    /// Waits until the server has got the request: it reaches no later statement. Returns false after `limit`.
    func isOver(within limit: Duration) -> Bool {
        isAnswered.wait(atMost: limit)
        return isAnswered.isRequested
    }
}
