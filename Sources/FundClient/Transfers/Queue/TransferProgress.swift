public import Foundation
internal import GRDB

/// Progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// Transfer as in the queue.
    public var transfer: Transfer
    /// Bytes that are here, or that were sent.
    public var bytes: Int64
    /// Bytes a second; nil while that is not known, or where another process transfers it.
    public var rate: Double?

    /// Nil while that is not known.
    public var timeLeft: Duration? {
        guard let size = transfer.size, let rate, rate > 0 else { return nil }
        return .seconds(Double(max(size - bytes, 0)) / rate)
    }
}

/// Progress of a queue.
public struct QueueProgress: Sendable, Hashable {
    /// Running transfers, in the order of the queue.
    public var running: [TransferProgress]
    /// Transfers that wait for their turn or for another attempt.
    public var waitingCount: Int
    /// Bytes left of all that run or wait, without those of unknown size.
    public var bytesLeft: Int64
    /// Bytes a second, of all together; nil while that is not known.
    public var rate: Double?
    /// Time of the next attempt, where nothing runs until then.
    public var nextAttemptAt: Date?

    /// Nil while that is not known.
    public var timeLeft: Duration? {
        guard let rate, rate > 0 else { return nil }
        return .seconds(Double(bytesLeft) / rate)
    }
}

extension TransferQueue {
    /// Progress of the queue, again and again. Ends with its task.
    public func progress(every interval: Duration = .milliseconds(250)) -> AsyncThrowingStream<QueueProgress, any Error>
    {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    while !Task.isCancelled {
                        continuation.yield(try await progressNow())
                        try await Task.sleep(for: interval)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// How far one transfer is, again and again; the last element has a state that is final. Ends at once for a number
    /// that the queue does not know.
    public func progress(
        of id: TransferID, every interval: Duration = .milliseconds(250)
    ) -> AsyncThrowingStream<TransferProgress, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    while let transfer = try await transfer(id) {
                        continuation.yield(progress(of: transfer, progressBoard.all[id]))
                        if transfer.state.isFinal { break }
                        try await Task.sleep(for: interval)
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Progress of the queue at this moment.
    /// - Parameter batch: only what belongs to it; nil for all.
    public func progressNow(of batch: TransferBatch? = nil) async throws(ClientError) -> QueueProgress {
        let running = try await transfers(in: [.running], of: batch)
        let board = progressBoard.all
        let all = running.map { progress(of: $0, board[$0.id]) }
        let (count, left, next) = try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT count(*) AS number, ifnull(sum(max(size - bytes, 0)), 0) AS bytes_left,
                        min(ifnull(next_attempt_at, 0)) AS next
                    FROM transfer WHERE state = 'waiting' AND (?1 IS NULL OR batch = ?1)
                    """, arguments: [batch?.name])
            return (row?["number"] as Int? ?? 0, row?["bytes_left"] as Int64? ?? 0, row?["next"] as Int64?)
        }
        let rates = all.compactMap(\.rate)
        return QueueProgress(
            running: all, waitingCount: count,
            bytesLeft: all.reduce(left) { $0 + max(($1.transfer.size ?? 0) - $1.bytes, 0) },
            rate: rates.isEmpty ? nil : rates.reduce(0, +),
            nextAttemptAt: all.isEmpty ? next.flatMap { $0 > 0 ? Date(milliseconds: $0) : nil } : nil)
    }

    private func progress(of transfer: Transfer, _ entry: ProgressBoard.Entry?) -> TransferProgress {
        guard transfer.state == .running, let entry else {
            return TransferProgress(transfer: transfer, bytes: transfer.bytes, rate: nil)
        }
        var transfer = transfer
        transfer.size = entry.size ?? transfer.size
        return TransferProgress(transfer: transfer, bytes: entry.bytes, rate: entry.rate.bytesPerSecond(at: .now))
    }
}
