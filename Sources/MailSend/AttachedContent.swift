package import FundCore

/// The bytes of a file that goes along with a letter.
package enum AttachedContent: Sendable, Hashable {
    case bytes([UInt8])
    /// Bytes that are read in pieces while the letter goes out, so that memory does not hold them.
    case stored(StoredBytes)

    /// A content of the store; equal to itself alone.
    package final class StoredBytes: Sendable, Hashable {
        fileprivate let content: any StoredContent

        package init(_ content: any StoredContent) { self.content = content }

        package static func == (a: StoredBytes, b: StoredBytes) -> Bool { a === b }
        package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// In bytes.
    var size: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .stored(let stored): Int(stored.content.size)
        }
    }

    /// Reads a part of the bytes. Blocks. Throws `StoreError` when they cannot be read.
    func read(_ range: Range<Int>) throws -> [UInt8] {
        switch self {
        case .bytes(let bytes): return Array(bytes[range])
        case .stored(let stored):
            var piece: [UInt8] = []
            piece.reserveCapacity(range.count)
            guard !range.isEmpty else { return piece }
            try stored.content.read(Int64(range.lowerBound)..<Int64(range.upperBound)) {
                piece.append(contentsOf: $0)
            }
            return piece
        }
    }
}
