internal import Glibc
import FundCore

/// The bytes of a message: in memory when they are few, else read from the file where they are needed.
final class RawSource {
    /// Up to this size a message is read at once: one system call instead of some forty.
    static let memoryBytes: Int64 = 1 << 20
    static let chunkBytes = 64 << 10

    /// Where the message stands in the file. All positions are those of the file.
    let range: Range<Int64>
    private let descriptor: Int32
    let memory: UnsafeRawBufferPointer?
    /// Freed with it.
    private let owned: UnsafeMutableRawBufferPointer?
    private var chunk: [UInt8] = []

    /// A whole message, in memory that stays as it is.
    init(_ memory: UnsafeRawBufferPointer) {
        (range, descriptor, owned) = (0..<Int64(memory.count), -1, nil)
        self.memory = memory
    }

    /// Throws when the file is shorter than it should be.
    init(_ descriptor: Int32, _ range: Range<Int64>) throws(ReadError) {
        self.descriptor = descriptor
        self.range = range
        let count = range.upperBound - range.lowerBound
        guard count <= Self.memoryBytes else {
            (memory, owned) = (nil, nil)
            return
        }
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(count), alignment: 16)
        (memory, owned) = (UnsafeRawBufferPointer(bytes), bytes)
        guard SystemCall.fill(bytes, from: descriptor, at: range.lowerBound) == bytes.count else {
            throw .unparseable("the message changed while it was read")
        }
    }

    deinit { owned?.deallocate() }

    /// For GMime, which reads a large message by itself; nil when it is in memory.
    var file: Int32? { memory == nil ? descriptor : nil }

    /// The scan that must come before GMime.
    func scan(limits: ParseLimits) throws(ReadError) -> PrescanVerdict {
        var scanner = StructureScanner(limits: limits)
        try scanChunks(range) { (chunk) throws(ReadError) in
            scanner.feed(chunk)
            return scanner.wantsMore
        }
        return scanner.verdict(messageBytes: range.upperBound - range.lowerBound)
    }

    /// Gives the bytes of a part of it, in order. Positions outside are cut off.
    func chunks(
        _ wanted: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws(ReadError) -> Void
    ) throws(ReadError) {
        try scanChunks(wanted) { (chunk) throws(ReadError) in
            try consume(chunk)
            return true
        }
    }

    /// Scans chunks until `wantsMore` returns false.
    func scanChunks(
        _ wanted: Range<Int64>, _ wantsMore: (UnsafeRawBufferPointer) throws(ReadError) -> Bool
    ) throws(ReadError) {
        let part = wanted.clamped(to: range)
        if let memory {
            let inside = Int(part.lowerBound - range.lowerBound)..<Int(part.upperBound - range.lowerBound)
            _ = try wantsMore(UnsafeRawBufferPointer(rebasing: memory[inside]))
            return
        }
        if chunk.isEmpty { chunk = [UInt8](repeating: 0, count: Self.chunkBytes) }
        // Taken out, so that a nested call (there is none today) would get its own.
        var buffer = chunk
        chunk = []
        defer { chunk = buffer }
        var position = part.lowerBound
        while position < part.upperBound {
            let count = min(Self.chunkBytes, Int(part.upperBound - position))
            guard Self.fill(&buffer, count, from: descriptor, at: position) else {
                throw .unparseable("the message changed while it was read")
            }
            guard try buffer[..<count].withBytes(wantsMore) else { return }
            position += Int64(count)
        }
    }

    private static func fill(_ buffer: inout [UInt8], _ count: Int, from descriptor: Int32, at position: Int64) -> Bool
    {
        buffer.withUnsafeMutableBytes {
            SystemCall.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<count]), from: descriptor, at: position)
        } == count
    }
}

/// Why the reading of a message stops. What is only odd about a message is a defect, not a failure.
struct ReadError: Error {
    var reason: Reason
    var detail: String

    static func tooComplex(_ detail: String) -> ReadError { ReadError(reason: .tooComplex, detail: detail) }
    static func unparseable(_ detail: String) -> ReadError { ReadError(reason: .unparseable, detail: detail) }
}
