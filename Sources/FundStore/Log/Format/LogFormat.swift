internal import CXXHash

/// The bytes of a store's log, version 1.
///
/// A log is a directory of segments, `000001.seg`, `000002.seg` and so on, which only grow. All integers are
/// little-endian. A checksum is XXH3 with 64 bits, of seed 0 where no other is said (https://xxhash.com). Every part
/// begins at a multiple of 8 bytes, with zero bytes before it where that is needed.
///
///     segment  = opening, record…
///     opening  = "FUNDLOG\n", u32 version, u32 number of the segment, u64 salt, u64 checksum of these 24 bytes
///                The salt is random: what comes by mail cannot contain a record of this segment.
///     record   = header, origin, body, checks
///     header   =  0  "FUNDREC\n"
///                 8  u8 kind (1 message, 2 blob, 3 commit)
///                 9  u8 encoding of the body (1 as it is, 2 composed, 3 packed, 4 composed and packed)
///                10  u16 count of the origin's bytes
///                12  u32 0
///                16  u64 salt of the segment
///                24  i64 offset of this header in the segment
///                32  i64 count of the body's bytes
///                40  i64 count of the content's bytes
///                48  SHA-256 of the content
///                80  i64 seconds since 1970: when the message was received, or the blob came
///                88  u64 checksum of the 88 bytes before and of the origin with its zero bytes
///                96  "livelive", or "deaddead" once nothing refers to it: its body may be a hole then
///     origin   = UTF-8: of a message where it came from (`RecordOrigin`), of a blob a name that it had, of a commit
///                mark (which has no body) the offset in digits up to which the records of the segment have rows: a
///                database that knows less is older than the log
///     body     = the content, or what `MessageComposition` makes of it, or what `PackedBody` makes of either
///     checks   = u64 checksum of each 64 KiB of the body with its zero bytes, in their order. Its seed is
///                salt + offset * 0x9E3779B97F4A7C15 + number of the block from 0 on: a block that stands in another
///                location does not pass
///
/// A commit mark stands in the segment that it speaks of, also behind a large record and in a full segment. It has no
/// content: its count of the content's bytes is the database's position at the commit (a number that grows with each
/// commit that gives records rows), and its SHA-256 that of the store's random number in eight bytes. Marks of logs
/// before schema 6 have 0 and the SHA-256 of nothing there, and large records none. Readers of that time skip both.
///
/// The salt and the offset in a header tell a record from its copy in another location. The state is the one thing that
/// changes, and stands under no checksum. Where something else stands there than its two values, the record's other
/// bytes say whether it is whole; a value that differs from "deaddead" in fewer than eight bits is taken for that.
enum LogFormat {
    static let version: UInt32 = 1
    static let openingMagic = Array("FUNDLOG\n".utf8)
    static let recordMagic = Array("FUNDREC\n".utf8)
    static let openingBytes = 32
    static let headerBytes = 104
    /// In a header.
    static let (checksumOffset, stateOffset) = (88, 96)
    static let alignment: Int64 = 8
    /// Bytes under one checksum: a read of a few bytes checks at most these.
    static let blockBytes: Int64 = 64 << 10
    static let checkBytes: Int64 = 8
    /// A segment that has reached it takes no further record.
    static let segmentBytes: Int64 = 64 << 20
    /// A body of this size is a segment of its own.
    static let largeBytes: Int64 = 1 << 20
    static let maxOriginBytes = 4096
    /// Upper bound for a body or a content: more than any file system holds, and few enough that the counts of one
    /// record add up without overflow.
    static let maxBodyBytes: Int64 = 1 << 48

    static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    }

    /// `count` with the zero bytes that follow, up to a multiple of `alignment`.
    static func padded(_ count: Int64) -> Int64 { (count + alignment - 1) / alignment * alignment }

    /// Count of blocks of a body.
    static func blockCount(ofBody count: Int64) -> Int64 { (padded(count) + blockBytes - 1) / blockBytes }
}
