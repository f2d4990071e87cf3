package import FundCore
package import Hummingbird
internal import NIOCore

/// Reads bodies of users whole: JSON and forms. The memory of all of them together is bounded, and so is that of one
/// user, who could otherwise take all of it with many connections.
package final class UserBodies: Sendable {
    private let room: BodyRoom<User.ID>

    package init(limits: ServerLimits = ServerLimits()) { room = BodyRoom(maxBytes: limits.maxUserBytes) }

    /// Gives the whole body to `use`, and counts its bytes until `use` returns. Throws `tooLarge`, or `busy` when no
    /// room is left.
    package func read<Value>(
        _ request: Request, of user: User.ID, upTo maxCount: Int, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        var body: [UInt8] = []
        defer { room.release(body.count, of: user) }
        for try await piece in request.body {
            let count = piece.readableBytes
            guard body.count + count <= maxCount else { throw RequestError.tooLarge }
            guard room.reserve(count, for: user) else { throw RequestError.busy }
            body += piece.readableBytesView
        }
        return try await use(body)
    }
}
