public import Foundation

/// The number of a transfer in its queue; never given to another.
public typealias TransferID = Identifier<Transfer>

/// A download or an upload, as the queue has it.
public struct Transfer: Sendable, Hashable, Identifiable {
    /// State of a transfer.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// For its turn, or for its next attempt.
        case waiting
        case running
        /// Until it is resumed.
        case paused
        case done
        /// It cannot succeed without something being done; `failure` says why.
        case failed
        case cancelled

        /// Nothing happens with it any more unless it is tried again.
        public var isFinal: Bool { self == .done || self == .failed || self == .cancelled }
    }

    /// The download or upload itself.
    public enum Work: Sendable, Hashable {
        case download(Download)
        case upload(Upload)
    }

    /// Id in its queue.
    public var id: TransferID
    /// The download or upload itself.
    public var work: Work
    /// For people.
    public var name: String
    /// State of a transfer.
    public var state: State
    /// The higher comes first.
    public var priority: Int
    /// Bytes; nil while that is not known.
    public var size: Int64?
    /// Bytes that were transferred when its process wrote that down last, about a second ago.
    public var bytes: Int64
    /// Attempts in a row that failed.
    public var attempts: Int
    /// Time of the next attempt; nil for at once.
    public var nextAttemptAt: Date?
    /// Failure of the last attempt.
    public var failure: ClientError?
    /// Path of the loaded file; nil for the cache.
    public var destination: String?
    /// Which file an upload made or changed.
    public var file: FileID?
    /// Digest of the bytes, once it is known: for an upload, when it is done.
    public var digest: Digest?
    /// Time at which it was added.
    public var createdAt: Date
    /// Time at which it got a state that is final.
    public var finishedAt: Date?
}
