/// Collects the bytes of frames, which come one behind the other.
package struct FrameBuffer {
    private static let startBytes = 64 << 10

    private let maxBytes: Int
    private var bytes = [UInt8](repeating: 0, count: startBytes)
    /// Where the first frame begins that was not taken yet, and where the bytes end that came.
    private var start = 0
    private var end = 0

    /// - Parameter maxBytes: limit of the body of a frame.
    package init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Where the body of the next frame stands, nil while bytes are missing. Throws when it is too long, or when more
    /// came behind the last frame that is expected.
    package mutating func body(isLast: Bool) throws(FrameError) -> Range<Int>? {
        guard end - start >= Frame.lengthBytes else { return nil }
        let begin = start
        let length = bytes.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: begin, as: UInt32.self)))
        }
        guard (1...maxBytes).contains(length) else { throw FrameError(what: "a frame of \(length) bytes") }
        let bodyStart = start + Frame.lengthBytes
        guard end - bodyStart < length else {
            if isLast, end - bodyStart > length { throw FrameError(what: "more than one answer") }
            return bodyStart..<(bodyStart + length)
        }
        // Room for the rest of it.
        if bodyStart + length > bytes.count {
            moveToFront()
            let missing = Frame.lengthBytes + length - bytes.count
            if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        }
        return nil
    }

    /// The frame of this body was read.
    package mutating func take(_ body: Range<Int>) {
        start = body.upperBound
        guard start == end else { return }
        (start, end) = (0, 0)
        // One long answer should not cost memory for ever.
        if bytes.count > 16 * Self.startBytes { bytes = [UInt8](repeating: 0, count: Self.startBytes) }
    }

    private mutating func moveToFront() {
        guard start > 0 else { return }
        let held = start..<end
        bytes.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[held])) }
        (start, end) = (0, held.count)
    }

    /// The bytes of a range.
    package subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Has `receive` read into free memory, and returns its result: the number of bytes, or none at the end or on
    /// failure.
    package mutating func fill(_ receive: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        if end == bytes.count { moveToFront() }
        if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: Self.startBytes)) }
        let end = end
        let received = bytes.withUnsafeMutableBytes { receive(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
        if received > 0 { self.end += received }
        return received
    }
}
