internal import NIOCore

/// The speed of a body. Only time in which the server waits for the client counts.
struct BodyPace {
    private let limits: ServerLimits
    private var bytes = 0
    private var waited = TimeAmount.zero
    private var waitingSince: NIODeadline?

    init(_ limits: ServerLimits) { self.limits = limits }

    /// Forgets the bytes and the time so far.
    mutating func restart() {
        (bytes, waited) = (0, .zero)
        if waitingSince != nil { waitingSince = .now() }
    }

    mutating func isAwaited() {
        if waitingSince == nil { waitingSince = .now() }
    }

    mutating func came(_ count: Int) {
        bytes += count
        waited = total
        waitingSince = nil
    }

    var isTooSlow: Bool {
        total > TimeAmount(limits.bodyGrace) + .seconds(Int64(bytes / max(limits.minBodyBytesPerSecond, 1)))
    }

    private var total: TimeAmount { waitingSince.map { waited + (NIODeadline.now() - $0) } ?? waited }
}
