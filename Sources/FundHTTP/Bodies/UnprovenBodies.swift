package import Hummingbird
internal import NIOCore

/// Reads bodies of senders that are not authenticated yet: of logins, of other forms, and of signed calls, whose
/// signature covers the body. The memory of all of them together is bounded, and so is that of one network; otherwise
/// unauthenticated clients with many connections could take all memory. Each of the three has a room of its own:
/// nothing else keeps users from signing in.
package final class UnprovenBodies: Sendable {
    package let maxLoginBytes: Int
    private let maxTime: Duration
    private let room: BodyRoom<ClientAddress>
    /// Room for what is longer than a login; nil where nothing is.
    private let furtherRoom: BodyRoom<ClientAddress>?

    /// - Parameter further: takes what stands behind the first `maxLoginBytes` of a body; nil for bodies of one room.
    package init(limits: ServerLimits = ServerLimits(), further: UnprovenBodies? = nil) {
        maxLoginBytes = limits.maxLoginBytes
        room = BodyRoom(maxBytes: limits.maxUnprovenBytes)
        furtherRoom = further?.room
        maxTime = limits.unprovenBodyTime
    }

    /// Gives the whole body to `use`, and counts its bytes until `use` returns. Throws `tooLarge`, or `busy` when no
    /// room is left. Closes the connection when the body is not complete in time.
    package func read<Value>(
        _ request: Request, over connection: RequestConnection, from peer: String, upTo maxCount: Int,
        _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        let keepOpen = connection.closing(after: maxTime)
        defer { keepOpen() }
        return try await read(request, from: peer, upTo: maxCount) { body in
            keepOpen()
            return try await use(body)
        }
    }

    func read<Value>(
        _ request: Request, from peer: String, upTo maxCount: Int, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        let network = ClientAddress(peer).site
        var body: [UInt8] = []
        var taken = (here: 0, further: 0)
        defer {
            room.release(taken.here, of: network)
            furtherRoom?.release(taken.further, of: network)
        }
        for try await piece in request.body {
            let count = piece.readableBytes
            guard body.count + count <= maxCount else { throw RequestError.tooLarge }
            let here = furtherRoom == nil ? count : min(count, max(0, maxLoginBytes - body.count))
            guard room.reserve(here, for: network) else { throw RequestError.busy }
            taken.here += here
            if let furtherRoom, count > here {
                guard furtherRoom.reserve(count - here, for: network) else { throw RequestError.busy }
                taken.further += count - here
            }
            body += piece.readableBytesView
        }
        return try await use(body)
    }
}
