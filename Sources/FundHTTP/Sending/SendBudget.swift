internal import NIOCore
internal import Synchronization

/// Bounds the bytes of responses in memory that clients have not read yet: of all, of one network, of one user, and of
/// each connection. The flow control of HTTP/2 does not: a client can open a hundred streams and no window.
///
/// Each network and each user may have a part of what all others leave, and requests without a user half of all. So
/// the room does not run out, and only those who fill it are refused.
package final class SendBudget: Sendable {
    /// A connection that holds nothing always gets this much: a client that reads makes progress however full the
    /// budget is.
    package static let minPiece = 16 * 1024
    /// Parts of what others leave.
    private static let (networkPart, userPart, strangersPart) = (4, 8, 64)
    /// Room of a network for requests without a user, however little others leave: two forms, or errors.
    private static let minStrangersBytes = 128 * 1024

    let maxBytesOfConnection: Int
    private let maxBytes: Int
    private let metrics: ConnectionMetrics
    /// Share of all requests without a user.
    private let strangers = SendShare()
    private let strangersOfNetworks = SendShares<ClientAddress>()
    private let networks = SendShares<ClientAddress>()
    private let users = SendShares<SenderID>()

    init(limits: ServerLimits, metrics: ConnectionMetrics) {
        self.metrics = metrics
        maxBytes = limits.maxUnsentBytes
        maxBytesOfConnection = limits.maxUnsentBytesOfConnection
    }

    /// Payer for a client without a user.
    func payer(at address: ClientAddress) -> SendPayer {
        let site = address.site
        return SendPayer(
            network: networks.share(of: site), own: strangersOfNetworks.share(of: site), strangers: strangers,
            sender: nil)
    }

    /// Payer for the same client, signed in as this user.
    func payer(_ payer: SendPayer, as sender: SenderID) -> SendPayer {
        SendPayer(network: payer.network, own: users.share(of: sender), strangers: nil, sender: sender)
    }

    /// Bytes that a payer can have while no other has any.
    func mostBytes(of payer: SendPayer) -> Int {
        payer.sender == nil
            ? max(maxBytesOfStrangers / Self.strangersPart, Self.minStrangersBytes) : maxBytes / Self.userPart
    }

    func hasRoom(for count: Int, _ payer: SendPayer) -> Bool {
        let free = maxBytes - metrics.unsentBytes
        let (ofNetwork, own) = (payer.network.held, payer.own.held)
        guard count <= free, ofNetwork + count <= (free + ofNetwork) / Self.networkPart else { return false }
        guard let strangers = payer.strangers else { return own + count <= (free + own) / Self.userPart }
        let left = maxBytesOfStrangers - strangers.held
        return count <= left && own + count <= max((left + own) / Self.strangersPart, Self.minStrangersBytes)
    }

    private var maxBytesOfStrangers: Int { maxBytes / 2 }

    func add(_ count: Int, _ payer: SendPayer) {
        metrics.unsent(count)
        payer.add(count)
    }

    func subtract(_ count: Int, _ payer: SendPayer) { add(-count, payer) }
}

/// Bytes of responses that the clients of one network, or of one user, have not read yet.
final class SendShare: Sendable {
    private let bytes = Atomic<Int>(0)

    var held: Int { bytes.load(ordering: .relaxed) }

    func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}

/// The shares that a response counts for, besides that of its connection.
struct SendPayer: Sendable {
    let network: SendShare
    /// Share of the user, or of this network's requests without one.
    let own: SendShare
    /// Share of all requests without a user; nil for a request with one.
    let strangers: SendShare?
    let sender: SenderID?

    func add(_ count: Int) {
        network.add(count)
        own.add(count)
        strangers?.add(count)
    }
}

/// The shares that are in use, by whose they are.
private final class SendShares<Key: Hashable & Sendable>: Sendable {
    /// Entries from which on those that nothing uses are looked for.
    private static var minSweep: Int { 1024 }

    private struct Entry {
        weak var share: SendShare?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var nextSweep = SendShares.minSweep
    }

    private let state = Mutex(State())

    func share(of key: Key) -> SendShare {
        state.withLock { state in
            if let known = state.entries[key]?.share { return known }
            if state.entries.count >= state.nextSweep {
                state.entries = state.entries.filter { $0.value.share != nil }
                state.nextSweep = max(Self.minSweep, 2 * state.entries.count)
            }
            let share = SendShare()
            state.entries[key] = Entry(share: share)
            return share
        }
    }
}
