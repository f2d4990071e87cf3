internal import FundHTTP
internal import FundCore
internal import Synchronization

/// The transfers that run by share links. One is cut off within a second after its link has ended, or what it
/// transfers is gone, whether or not its client reads.
final class LinkTransfers: Sendable {
    /// Transfers of one link at a time.
    private static let maxOfLink = 30
    /// Pause between two looks: mail that comes in commits hundreds of times a second.
    private static let pause = Duration.milliseconds(200)
    /// Longest time between two looks: a link expires, or links are switched off, without a commit.
    private static let longestWait = Duration.milliseconds(500)

    private struct Transfer {
        var link: ShareLink.ID
        var isAllowed: @Sendable () async -> Bool
        var cut: @Sendable () -> Void
    }

    private struct State {
        var lastNumber = 0
        var running: [Int: Transfer] = [:]
        /// Runs while there are transfers.
        var watching: Task<Void, Never>?
    }

    private let commits: Signal
    private let isOn: @Sendable () -> Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - commits: raised after what may have changed the store.
    ///   - isOn: whether the company wants links.
    init(commits: Signal, isOn: @escaping @Sendable () -> Bool) { (self.commits, self.isOn) = (commits, isOn) }

    var count: Int { state.withLock { $0.running.count } }

    /// Runs `body` until it ends, or is cut off. Throws `busy` when as many of the link run as may, and 404 for one
    /// that may not begin.
    /// - Parameters:
    ///   - isAllowed: asked at the beginning, and after each change of the store.
    ///   - cut: ends the transfer from outside.
    func run<Value>(
        of link: ShareLink.ID, isAllowed: @escaping @Sendable () async -> Bool, cut: @escaping @Sendable () -> Void,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let number = try begin(Transfer(link: link, isAllowed: isAllowed, cut: cut))
        defer { end(number) }
        // Asked once the watcher knows of it: nothing is missed in between.
        guard await isAllowed() else { throw RequestError.notFound }
        return try await body()
    }

    private func begin(_ transfer: Transfer) throws -> Int {
        let number = state.withLock { state -> Int? in
            guard state.running.values.count(where: { $0.link == transfer.link }) < Self.maxOfLink else { return nil }
            state.lastNumber += 1
            state.running[state.lastNumber] = transfer
            if state.watching == nil { state.watching = Task { await watch() } }
            return state.lastNumber
        }
        guard let number else { throw RequestError.busy }
        return number
    }

    private func end(_ number: Int) {
        state.withLock { state in
            state.running[number] = nil
            guard state.running.isEmpty else { return }
            state.watching?.cancel()
            state.watching = nil
        }
    }

    /// Cuts a transfer unless it has ended meanwhile: its connection may have another request by then.
    private func cut(_ number: Int) { state.withLock { $0.running[number]?.cut() } }

    private func watch() async {
        while !Task.isCancelled {
            // Read before the store: what is committed meanwhile ends the next wait at once.
            let known = commits.count
            for (number, transfer) in state.withLock({ $0.running }) {
                var isAllowed = isOn()
                if isAllowed { isAllowed = await transfer.isAllowed() }
                if !isAllowed { cut(number) }
            }
            await commits.wait(after: known, atMost: Self.longestWait)
            try? await Task.sleep(for: Self.pause)
        }
    }
}
