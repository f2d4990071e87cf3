public import Foundation

/// The number of a transfer in its queue; never given to another.
public typealias TransferID = Identifier<Transfer>

/// A download or an upload, as the queue has it.
public struct Transfer: Sendable, Hashable, Identifiable {
    /// What is to happen with it, or did.
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

    /// What it does.
    public enum Work: Sendable, Hashable {
        case download(Download)
        case upload(Upload)
    }

    /// In its queue.
    public var id: TransferID
    /// What it does.
    public var work: Work
    /// For people.
    public var name: String
    /// What is to happen with it, or did.
    public var state: State
    /// The higher comes first.
    public var priority: Int
    /// Bytes; nil while that is not known.
    public var size: Int64?
    /// So many bytes of it were transferred when its process wrote that down last, about a second ago.
    public var bytes: Int64
    /// In a row that failed.
    public var attempts: Int
    /// Not before then; nil for at once.
    public var nextAttemptAt: Date?
    /// Of the last attempt.
    public var failure: ClientError?
    /// Where a download went (nil: into the cache).
    public var destination: String?
    /// Which file an upload made or changed.
    public var file: FileID?
    /// Of its bytes, once they are known: of an upload, when it is done.
    public var digest: Digest?
    /// When it was added.
    public var createdAt: Date
    /// When it got a state that is final.
    public var finishedAt: Date?
}

/// What is to be loaded, and where to.
public struct Download: Sendable, Hashable {
    /// A file, an attachment or a message.
    public var item: ContentSource
    /// For people, and the name in the folder.
    public var name: String
    /// What it is expected to be; nil where that is not known.
    public var digest: Digest?
    /// What it is expected to have; nil where that is not known.
    public var size: Int64?
    /// It fails when the server has other bytes by now; otherwise those are loaded.
    public var isExact: Bool
    /// The path of the file to be made; nil for the cache alone.
    public var destination: String?
    /// Whether `destination` may get a number or replace a file. `number` unless given.
    public var ifTaken: IfTaken
    /// The time of the last change that the file gets; nil for that of the download.
    public var modifiedAt: Date?

    /// - Parameters:
    ///   - item: what is to be loaded.
    ///   - name: for people.
    ///   - destination: the path of the file to be made; nil for the cache alone.
    ///   - modifiedAt: the time of the last change that the file gets; nil for that of the download.
    public init(
        _ item: ContentSource, name: String, digest: Digest? = nil, size: Int64? = nil, isExact: Bool = false,
        to destination: String? = nil, ifTaken: IfTaken = .number, modifiedAt: Date? = nil
    ) {
        (self.item, self.name, self.digest, self.size, self.isExact) = (item, name, digest, size, isExact)
        (self.destination, self.ifTaken, self.modifiedAt) = (destination, ifTaken, modifiedAt)
    }

    /// A file as a list shows it.
    public init(_ file: File, to destination: String? = nil, ifTaken: IfTaken = .number) {
        self.init(
            .file(file.id), name: file.name, digest: file.digest, size: file.size, to: destination, ifTaken: ifTaken,
            modifiedAt: file.modifiedAt)
    }
}

/// What is to be sent, and where to.
public struct Upload: Sendable, Hashable {
    /// What becomes of the bytes.
    public enum Target: Sendable, Hashable {
        /// A file.
        case new(name: String, fund: FundID, folder: FolderID?, ifTaken: IfTaken)
        /// Other bytes for a file.
        /// - Parameter ifMatch: only if it still has these.
        case content(of: FileID, ifMatch: Digest?)
    }

    /// The path of a file of this machine.
    public var source: String
    /// What becomes of the bytes.
    public var target: Target
    /// A media type.
    public var contentType: String

    /// - Parameters:
    ///   - source: the path of a file of this machine.
    ///   - target: what becomes of the bytes.
    ///   - contentType: a media type; the server goes by name and bytes where it is `application/octet-stream`.
    public init(_ source: String, to target: Target, contentType: String = "application/octet-stream") {
        (self.source, self.target, self.contentType) = (source, target, contentType)
    }
}
