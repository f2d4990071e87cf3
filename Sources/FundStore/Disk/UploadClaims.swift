import FundCore
internal import Synchronization

/// The disk space that uploads under way in this process will take, so that all together are held against the free
/// space.
///
/// Where room is short, uploads that are too slow lose theirs: otherwise one client could hold all of it for hours.
final class UploadClaims: Sendable {
    /// No upload counts as slow before this age.
    private static let grace = Duration.seconds(30)
    /// Bytes a second (64 KiB/s): less than a phone on a bad line.
    private static let leastPace = 65_536.0
    /// At its pace an upload must be done after this time.
    private static let longestTime = 3600.0

    typealias ID = UInt64

    private struct Claim {
        /// Bytes that the client announced; nil when it did not.
        var announced: Int64?
        var received: Int64 = 0
        var start: ContinuousClock.Instant
        /// Whether all bytes are there: the upload waits for its row.
        var isFinished = false
        /// Gives the bytes on the disk back.
        var release: @Sendable () -> Void

        var remaining: Int64 { isFinished ? 0 : max(0, (announced ?? 0) - received) }

        func isSlow(at now: ContinuousClock.Instant) -> Bool {
            let age = now - start
            guard !isFinished, age >= UploadClaims.grace else { return false }
            let pace = Double(received) / age.seconds
            return pace < UploadClaims.leastPace || Double(remaining) / pace > UploadClaims.longestTime
        }
    }

    private struct State {
        var next: ID = 0
        var claims: [ID: Claim] = [:]
        /// Lost their room; their clients do not know yet.
        var revoked: Set<ID> = []

        /// Bytes that others may take before this one: none when its own size was held against theirs as it began.
        func claimed(before id: ID?) -> Int64 {
            if let id, claims[id]?.announced != nil { return 0 }
            return claims.reduce(0) { $1.key == id ? $0 : $0 + $1.value.remaining }
        }

        mutating func revokeSlow(but id: ID?, at now: ContinuousClock.Instant) -> [Claim] {
            let slow = claims.filter { $0.key != id && $0.value.isSlow(at: now) }
            for id in slow.keys { claims[id] = nil }
            revoked.formUnion(slow.keys)
            return Array(slow.values)
        }

        func checkRevoked(_ id: ID) throws {
            guard revoked.contains(id) else { return }
            throw StoreError(.outOfSpace, "take an upload", "it came too slowly while room was short")
        }
    }

    private let state = Mutex(State())

    /// A new upload. `room` is looked up again when slow ones were revoked. Throws when it does not fit beside others.
    func add(
        announcing bytes: Int64?, now: ContinuousClock.Instant = .now, room: () -> Int64,
        release: @escaping @Sendable () -> Void
    ) throws -> ID {
        try admit(bytes ?? 0, now: now, room: room) { state in
            state.next += 1
            state.claims[state.next] = Claim(announced: bytes, start: now, release: release)
            return state.next
        }
    }

    /// More bytes of an upload come. Throws when they do not fit, or when it lost its room.
    func grow(_ id: ID, by bytes: Int64, now: ContinuousClock.Instant = .now, room: () -> Int64) throws {
        try state.withLock { try $0.checkRevoked(id) }
        try admit(bytes, for: id, now: now, room: room) { $0.claims[id]?.received += bytes }
    }

    /// Notes that all bytes came. Throws when the upload lost its room before.
    func finish(_ id: ID) throws {
        try state.withLock { state in
            try state.checkRevoked(id)
            state.claims[id]?.isFinished = true
        }
    }

    func remove(_ id: ID) {
        state.withLock { state in
            state.claims[id] = nil
            state.revoked.remove(id)
        }
    }

    /// Looks for room and takes it under one lock: of two announced uploads only those that fit together get in.
    private func admit<Value>(
        _ bytes: Int64, for id: ID? = nil, now: ContinuousClock.Instant, room: () -> Int64,
        _ enter: (inout State) -> Value
    ) throws -> Value {
        func enterIfItFits() -> Value? {
            state.withLock { room() - $0.claimed(before: id) >= bytes ? enter(&$0) : nil }
        }
        if let value = enterIfItFits() { return value }
        let slow = state.withLock { $0.revokeSlow(but: id, at: now) }
        for claim in slow { claim.release() }
        guard !slow.isEmpty, let value = enterIfItFits() else {
            throw StoreError(.outOfSpace, "take an upload", "it does not fit on the disk")
        }
        return value
    }
}
