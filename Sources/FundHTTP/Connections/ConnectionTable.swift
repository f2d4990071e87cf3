internal import FundCore
internal import NIOCore
internal import Synchronization

/// All open connections by network. One network has a share of them, and some are kept for networks from which users
/// signed in lately and for this machine. When there is no room, the oldest connection without a request is closed.
package final class ConnectionTable: Sendable {
    /// Networks that are remembered because a user signed in from them.
    private static let maxKnown = 4096
    /// Time for which they are remembered.
    private static let knownTime = Duration.seconds(24 * 3600)

    /// No connection is to be had for this client.
    struct RefusedError: Error {}

    private struct Network {
        /// The oldest first.
        var connections: [ClientConnection] = []
    }

    private struct State {
        var count = 0
        var networks: [ClientAddress: Network] = [:]
        var known = BoundedTable<ClientAddress, ContinuousClock.Instant>(maxEntries: ConnectionTable.maxKnown)
    }

    private let limits: ServerLimits
    private let metrics: ConnectionMetrics
    /// All connections come from a proxy, which has limits of its own.
    private let isBehindProxy: Bool
    private let budget: SendBudget
    private let state = Mutex(State())

    package init(limits: ServerLimits, metrics: ConnectionMetrics, isBehindProxy: Bool) {
        self.limits = limits
        self.metrics = metrics
        self.isBehindProxy = isBehindProxy
        budget = SendBudget(limits: limits, metrics: metrics)
    }

    /// Registers a connection. Nil when it is refused; it is then being closed.
    func admit(_ channel: any Channel, from peer: String) -> ClientConnection? {
        let address = ClientAddress(peer)
        let (connection, other, refusal) = state.withLock {
            place(channel, peer, address, &$0)
        }
        if let refusal { metrics.refused(refusal) }
        guard let connection else {
            channel.close(promise: nil)
            return nil
        }
        metrics.connectionOpened()
        channel.closeFuture.whenComplete { [self] _ in
            connection.ended()
            metrics.connectionClosed()
            state.withLock { Self.remove(connection, &$0) }
        }
        other?.close()
        return connection
    }

    /// Notes that a request on this connection was authenticated.
    package func noteSender(of connection: ClientConnection) {
        guard !isBehindProxy, connection.becomesKnown() else { return }
        state.withLock { $0.known[connection.address] = .now }
    }

    /// The connection, nil when it is refused; the one that it takes the place of; the bound that it exceeds.
    private func place(
        _ channel: any Channel, _ peer: String, _ address: ClientAddress, _ state: inout State
    ) -> (ClientConnection?, insteadOf: ClientConnection?, ConnectionMetrics.Refusal?) {
        var (other, refusal) = (nil as ClientConnection?, nil as ConnectionMetrics.Refusal?)
        let ofNetwork = state.networks[address]?.connections ?? []
        if !isBehindProxy, ofNetwork.count >= limits.maxConnectionsOfClient {
            (other, refusal) = (ofNetwork.first { !$0.isBusy }, .clientConnections)
        } else if state.count >= maxConnections(from: address, isLocal: PeerAddress.isLoopback(peer), state) {
            (other, refusal) = (Self.idleOfMost(state), .connections)
        }
        if refusal != nil, other == nil { return (nil, nil, refusal) }
        if let other { Self.remove(other, &state) }
        var network = state.networks[address] ?? Network()
        let connection = ClientConnection(channel, from: peer, address, budget: budget)
        network.connections.append(connection)
        state.networks[address] = network
        state.count += 1
        return (connection, other, refusal)
    }

    private func maxConnections(from address: ClientAddress, isLocal: Bool, _ state: State) -> Int {
        let isKnown = state.known[address].map { ContinuousClock.now - $0 < Self.knownTime } ?? false
        return isBehindProxy || isLocal || isKnown
            ? limits.maxConnections : max(1, limits.maxConnections - limits.keptConnections)
    }

    /// An idle connection of the network with the most connections among those that have an idle one.
    private static func idleOfMost(_ state: State) -> ClientConnection? {
        var found: (idle: ClientConnection, count: Int)?
        for network in state.networks.values where network.connections.count > found?.count ?? 0 {
            guard let idle = network.connections.first(where: { !$0.isBusy }) else { continue }
            found = (idle, network.connections.count)
        }
        return found?.idle
    }

    /// Does nothing when it was removed before.
    private static func remove(_ connection: ClientConnection, _ state: inout State) {
        guard let index = state.networks[connection.address]?.connections.firstIndex(where: { $0 === connection })
        else { return }
        state.networks[connection.address]?.connections.remove(at: index)
        if state.networks[connection.address]?.connections.isEmpty == true { state.networks[connection.address] = nil }
        state.count -= 1
    }
}
