import FundCore
internal import Synchronization

/// A content that a message repeats.
struct RepeatedContent: Hashable, Sendable {
    var digest: ContentDigest
    var size: Int64
}

/// Whole records of the log that no row knows.
protocol RecordsWithoutRows: Sendable {
    /// The record of a message, with what it repeats; nil when that has to be written anew. Throws `DiskError`.
    func message(_ digest: ContentDigest) throws -> (record: AppendedRecord, contents: [RepeatedContent])?
    /// The record of a blob; nil when there is none that is whole.
    func blob(_ digest: ContentDigest) throws -> AppendedRecord?
}

/// Lets mail that is filed again have rows for the records that it has in the log, instead of writing the same bytes
/// once more.
final class RecordAdoption: Sendable {
    private let source = Mutex<(any RecordsWithoutRows)?>(nil)

    /// Gives these records to mail that is filed from now on, until `end`.
    func begin(_ records: any RecordsWithoutRows) { source.withLock { $0 = records } }

    func end() { source.withLock { $0 = nil } }

    func message(_ digest: ContentDigest) throws -> (record: AppendedRecord, contents: [RepeatedContent])? {
        try source.withLock(\.self)?.message(digest)
    }

    func blob(_ digest: ContentDigest) throws -> AppendedRecord? { try source.withLock(\.self)?.blob(digest) }
}
