internal import Foundation
internal import GRDB

/// Orders of people to a queue. Each call takes those of the transfers that it can be done with, and returns how many
/// those were. A transfer that runs in another process ends there within about a second.
extension TransferQueue {
    /// - Parameter ids: nil for all.
    @discardableResult
    public func pause(_ ids: [TransferID]? = nil) async throws(ClientError) -> Int {
        try await change(ids, "state = 'paused', holder = NULL, next_attempt_at = NULL", where: "'waiting', 'running'")
    }

    /// - Parameter ids: nil for all.
    @discardableResult
    public func resume(_ ids: [TransferID]? = nil) async throws(ClientError) -> Int {
        try await change(ids, "state = 'waiting', attempts = 0, next_attempt_at = NULL", where: "'paused'")
    }

    /// Gives them up. A runner removes what was loaded of them.
    /// - Parameter ids: nil for all.
    @discardableResult
    public func cancel(_ ids: [TransferID]? = nil) async throws(ClientError) -> Int {
        try await cancel(ids, where: "'waiting', 'running', 'paused'")
    }

    /// Gives up transfers whose result is there already, as after a kill between the last byte and the note of it: all
    /// that the queue has for the same names, unless a process is at it. A runner removes what was loaded of them.
    public func giveUp(_ works: [Transfer.Work]) async throws(ClientError) {
        try await reclaim()
        let marks = marks
        let known = try await database.read { db in
            try works.compactMap { try KnownTransfer(resuming: $0, for: nil, marks: marks, db)?.id }
        }
        if !known.isEmpty { try await cancel(known, where: "'waiting', 'paused', 'failed'") }
    }

    @discardableResult
    private func cancel(_ ids: [TransferID]?, where states: String) async throws(ClientError) -> Int {
        let now = Date().milliseconds
        return try await change(
            ids, "state = 'cancelled', holder = NULL, finished_at = \(now), has_leftovers = 1", where: states)
    }

    /// Tries again what failed or was cancelled, and at once what waits for its next attempt.
    /// - Parameter ids: nil for all that failed.
    @discardableResult
    public func retry(_ ids: [TransferID]? = nil) async throws(ClientError) -> Int {
        try await change(
            ids,
            """
            state = 'waiting', attempts = 0, next_attempt_at = NULL, failure_code = NULL, failure = NULL,
            finished_at = NULL, landing = NULL, has_leftovers = 0, damages = 0
            """, where: ids == nil ? "'failed'" : "'failed', 'cancelled', 'waiting'")
    }

    /// Forgets what is done, failed or cancelled.
    /// - Parameter ids: nil for all of those.
    @discardableResult
    public func forget(_ ids: [TransferID]? = nil) async throws(ClientError) -> Int {
        let condition = Self.condition(ids)
        return try await database.write { db in
            try db.execute(
                sql: "DELETE FROM transfer WHERE state IN ('done', 'failed', 'cancelled') AND \(condition)")
            return db.changesCount
        }
    }

    /// Attempts that wait for their time are made now: the network is another, or the machine has slept.
    public func tryNow() async throws(ClientError) {
        try await database.write { db in
            try db.execute(sql: "UPDATE transfer SET next_attempt_at = NULL WHERE state = 'waiting'")
        }
        wake()
    }

    /// - Parameter priority: the higher comes first.
    @discardableResult
    public func prioritize(_ ids: [TransferID], _ priority: Int) async throws(ClientError) -> Int {
        try await change(ids, "priority = \(priority)", where: "'waiting', 'running', 'paused'")
    }

    /// To where a transfer is moved among those of its priority.
    public enum Move: String, Sendable, Hashable, CaseIterable { case first, up, down, last }

    /// Moves one among those of its priority that wait. False when it does not wait, or is there already.
    @discardableResult
    public func move(_ id: TransferID, _ move: Move) async throws(ClientError) -> Bool {
        let isMoved = try await database.write { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT priority, position FROM transfer WHERE id = ? AND state IN ('waiting', 'paused')",
                arguments: [id.value])
            guard let row else { return false }
            let (priority, position): (Int64, Int64) = (row["priority"], row["position"])
            let isForward = move == .first || move == .up
            // The one whose place it takes.
            let other = try Row.fetchOne(
                db,
                sql: """
                    SELECT id, position FROM transfer
                    WHERE state IN ('waiting', 'paused') AND priority = ? AND position \(isForward ? "<" : ">") ?
                    ORDER BY position \(move == .up || move == .last ? "DESC" : "ASC") LIMIT 1
                    """, arguments: [priority, position])
            guard let other else { return false }
            let place: Int64 = other["position"]
            switch move {
            case .up, .down:
                try db.execute(
                    sql: "UPDATE transfer SET position = ? WHERE id = ?", arguments: [position, other["id"] as Int64])
                try db.execute(sql: "UPDATE transfer SET position = ? WHERE id = ?", arguments: [place, id.value])
            case .first, .last:
                try db.execute(
                    sql: "UPDATE transfer SET position = ? WHERE id = ?",
                    arguments: [move == .first ? place - 1 : place + 1, id.value])
            }
            return true
        }
        wake()
        return isMoved
    }

    private func change(
        _ ids: [TransferID]?, _ change: String, where states: String
    ) async throws(ClientError) -> Int {
        let condition = Self.condition(ids)
        let count = try await database.write { db in
            try db.execute(sql: "UPDATE transfer SET \(change) WHERE state IN (\(states)) AND \(condition)")
            return db.changesCount
        }
        wake()
        return count
    }

    /// SQL; ids are numbers.
    private static func condition(_ ids: [TransferID]?) -> String {
        ids.map { "id IN (\($0.map(\.description).joined(separator: ", ")))" } ?? "1"
    }
}
