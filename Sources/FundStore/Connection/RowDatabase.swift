import FundCore

/// The one door to the rows of a store, whatever engine holds them. `StoreConnection` has it, and beside it what only a
/// store on a local disk has: the files, their locks and the room for them.
protocol RowDatabase: Sendable {
    /// Runs questions that see the rows as they are at one moment. Blocks.
    func read<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value

    /// Runs a question of one or two statements, for less than `read` takes. Each sees the rows as they are at its own
    /// moment, unless `atOneMoment`. Blocks.
    func ask<Value>(_ operation: String, atOneMoment: Bool, _ body: (Database) throws -> Value) throws -> Value

    /// Commits what `body` writes, or nothing when it throws. `body` may run a second time. Blocks.
    @discardableResult
    func write<Value>(_ operation: String, _ room: WriteRoom, _ body: (Database) throws -> Value) throws -> Value

    /// A number that is another one after every change of the rows, by any process. Takes microseconds.
    func version() throws -> Int64

    /// Signal that is raised with every write of this process before the write returns; and, once `watchCommits` was
    /// called, with those of other processes.
    var commits: Signal { get }
    func watchCommits()
}

extension RowDatabase {
    func ask<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        try ask(operation, atOneMoment: false, body)
    }

    @discardableResult
    func write<Value>(_ operation: String, _ body: (Database) throws -> Value) throws -> Value {
        try write(operation, .free, body)
    }
}
