internal import Dispatch
import FundCore

extension StoreConnection {
    /// `writing` for an act of an administrator. Throws `conflict` when `actor` is a user who is no administrator, or
    /// none any more: the transaction asks again what the interface asked when it let the request in.
    @discardableResult
    func administering<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, by actor: String,
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await writing(operation, room) { db in
            try UserRows(db: db, actor: actor).checkActor(operation)
            return try body(db)
        }
    }
}
