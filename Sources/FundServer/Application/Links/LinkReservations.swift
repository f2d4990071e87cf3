internal import FundCore
internal import Synchronization

/// A reason why an upload by a link does not begin.
enum LinkReservationError: Error {
    /// Nothing more comes by the link.
    case full
    /// Uploads that run have reserved all that the link takes still.
    case reserved
    /// The upload is larger than what the link takes still.
    case tooLarge
}

/// The bytes that uploads under way may still bring by each link. Together with what is stored they never exceed the
/// link's allowance: uploads at the same time stage no more than the link takes.
final class LinkReservations: Sendable {
    /// Bytes of a form beside its files.
    private static let maxFormBytes: Int64 = 256 << 10

    private struct State {
        /// Goes up when bytes that were reserved are stored: what was read of the link before counts them nowhere.
        var version = 0
        var lastNumber = 0
        var reserved: [ShareLink.ID: [Int: Int64]] = [:]
    }

    private let state = Mutex(State())

    /// The bytes of one upload that did not come yet.
    struct Reservation: Sendable {
        fileprivate let reservations: LinkReservations
        fileprivate let link: ShareLink.ID
        fileprivate let number: Int

        var left: Int64 { reservations.state.withLock { $0.reserved[link]?[number] ?? 0 } }

        /// Notes bytes that the link's row counts by now.
        func noteStored(_ bytes: Int64) {
            reservations.state.withLock { state in
                state.reserved[link]?[number]? -= bytes
                state.version += 1
            }
        }
    }

    /// The bytes that uploads of a link may still bring, in the order in which they began.
    func reserved(of link: ShareLink.ID) -> [Int64] {
        state.withLock { $0.reserved[link, default: [:]].sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Runs an upload that may bring the bytes that it declares, or what the link takes still where it declares none.
    /// Throws `LinkReservationError` before anything is read.
    /// - Parameters:
    ///   - declared: bytes of the whole form.
    ///   - look: reads the link.
    func run<Value>(
        of link: ShareLink.ID, declaring declared: Int64?, _ look: () async throws -> ShareLink,
        _ body: (Reservation) async throws -> Value
    ) async throws -> Value {
        let reservation = try await reserve(link, declared, look)
        defer { end(reservation) }
        return try await body(reservation)
    }

    private func reserve(
        _ link: ShareLink.ID, _ declared: Int64?, _ look: () async throws -> ShareLink
    ) async throws -> Reservation {
        while true {
            let version = state.withLock { $0.version }
            let found = try await look()
            guard let allowance = found.allowance, found.received.files < allowance.maxFiles,
                found.received.bytes < allowance.maxBytes
            else { throw LinkReservationError.full }
            let left = allowance.maxBytes - found.received.bytes
            let reservation = try state.withLock { state -> Reservation? in
                guard state.version == version else { return nil }
                let room = left - (state.reserved[link]?.values.reduce(0, +) ?? 0)
                if let declared, declared - Self.maxFormBytes > room {
                    throw declared - Self.maxFormBytes > left
                        ? LinkReservationError.tooLarge : LinkReservationError.reserved
                }
                guard room > 0 else { throw LinkReservationError.reserved }
                state.lastNumber += 1
                state.reserved[link, default: [:]][state.lastNumber] = min(declared ?? room, room)
                return Reservation(reservations: self, link: link, number: state.lastNumber)
            }
            if let reservation { return reservation }
        }
    }

    private func end(_ reservation: Reservation) {
        state.withLock { state in
            state.reserved[reservation.link]?[reservation.number] = nil
            if state.reserved[reservation.link]?.isEmpty == true { state.reserved[reservation.link] = nil }
        }
    }
}
