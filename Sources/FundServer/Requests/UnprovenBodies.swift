internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Reads bodies of senders that are not authenticated yet: of logins, and of signed calls, whose signature covers the
/// body. The memory of all of them together is bounded, and so is that of one network; otherwise unauthenticated
/// clients with many connections could take all memory. Logins have a bound of their own, so that the larger signed
/// calls do not keep users from signing in.
final class UnprovenBodies: Sendable {
    private struct State {
        var total = 0
        var ofPeer: [String: Int] = [:]
    }

    let maxLoginBytes: Int
    private let maxBytes: Int
    private let maxBytesOfPeer: Int
    private let maxTime: TimeAmount
    private let state = Mutex(State())

    init(limits: ServerLimits = ServerLimits()) {
        maxLoginBytes = limits.maxLoginBytes
        maxBytes = limits.maxUnprovenBytes
        maxBytesOfPeer = limits.maxUnprovenBytes / 4
        maxTime = TimeAmount(limits.unprovenBodyTime)
    }

    /// Gives the whole body to `use`, and counts its bytes until `use` returns. Throws `tooLarge`, or `busy` when no
    /// room is left. Closes the channel when the body is not complete in time.
    func read<Value>(
        _ request: Request, _ context: ServerContext, upTo maxCount: Int, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        let channel = context.channel
        let deadline = channel.eventLoop.scheduleTask(in: maxTime) { channel.close(promise: nil) }
        defer { deadline.cancel() }
        return try await read(request, from: context.peer, upTo: maxCount) { body in
            deadline.cancel()
            return try await use(body)
        }
    }

    func read<Value>(
        _ request: Request, from peer: String, upTo maxCount: Int, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        let peer = ClientAddress(peer).description
        var body: [UInt8] = []
        defer { release(body.count, of: peer) }
        for try await piece in request.body {
            guard body.count + piece.readableBytes <= maxCount else { throw RequestError.tooLarge }
            guard reserve(piece.readableBytes, for: peer) else { throw RequestError.busy }
            body += piece.readableBytesView
        }
        return try await use(body)
    }

    private func reserve(_ count: Int, for peer: String) -> Bool {
        state.withLock { state in
            let ofPeer = state.ofPeer[peer] ?? 0
            guard state.total + count <= maxBytes, ofPeer + count <= maxBytesOfPeer else { return false }
            state.total += count
            state.ofPeer[peer] = ofPeer + count
            return true
        }
    }

    private func release(_ count: Int, of peer: String) {
        state.withLock { state in
            state.total -= count
            let rest = (state.ofPeer[peer] ?? 0) - count
            state.ofPeer[peer] = rest > 0 ? rest : nil
        }
    }
}
