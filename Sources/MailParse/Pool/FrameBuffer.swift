import FundCore
internal import Glibc

/// Collects the bytes of frames, which come one behind the other.
struct FrameBuffer {
    private static let startBytes = 64 << 10

    private var bytes = [UInt8](repeating: 0, count: startBytes)
    /// Where the first frame begins that was not taken yet, and where the bytes end that came.
    private var start = 0
    private var end = 0

    /// Where the body of the next frame stands, nil while bytes are missing. Throws when it is too long, or when more
    /// came behind the last frame that is expected.
    mutating func body(isLast: Bool) throws(WireError) -> Range<Int>? {
        guard end - start >= Wire.lengthBytes else { return nil }
        let begin = start
        let length = bytes.withUnsafeBytes {
            Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: begin, as: UInt32.self)))
        }
        guard (1...Wire.maxResponseBytes).contains(length) else { throw WireError(what: "a frame of \(length) bytes") }
        let bodyStart = start + Wire.lengthBytes
        guard end - bodyStart < length else {
            if isLast, end - bodyStart > length { throw WireError(what: "more than one answer") }
            return bodyStart..<(bodyStart + length)
        }
        // Room for the rest of it.
        if bodyStart + length > bytes.count {
            moveToFront()
            let missing = Wire.lengthBytes + length - bytes.count
            if missing > 0 { bytes.append(contentsOf: repeatElement(0, count: missing)) }
        }
        return nil
    }

    /// The frame of this body was read.
    mutating func take(_ body: Range<Int>) {
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
    subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// One recv(2): its result.
    mutating func fill(from socket: Int32) -> Int {
        if end == bytes.count { moveToFront() }
        if end == bytes.count { bytes.append(contentsOf: repeatElement(0, count: Self.startBytes)) }
        let end = end
        let received = bytes.withUnsafeMutableBytes {
            recv(socket, $0.baseAddress.map { $0 + end }, $0.count - end, Int32(MSG_DONTWAIT))
        }
        if received > 0 { self.end += received }
        return received
    }
}

/// What a child writes to standard error: only its end is kept.
struct ErrorOutput {
    private static let keptBytes = 4096

    let descriptor: Int32
    private(set) var isOpen = true
    private var tail: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads what the pipe holds; never waits.
    mutating func read() {
        var chunk = [UInt8](repeating: 0, count: Self.keptBytes)
        // A pipe holds 64 KiB; the loop ends also for a child that goes on writing.
        for _ in 0..<32 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { isOpen = false }
            guard count > 0 else { return }
            tail.append(contentsOf: chunk[..<count])
            if tail.count > Self.keptBytes { tail.removeFirst(tail.count - Self.keptBytes) }
        }
    }

    /// Printable ASCII: it may hold what a message said.
    var lastLine: String? {
        let line = tail.split(separator: .lf).last { $0.contains { $0 > .space } }
        return line.map {
            String(
                decoding: $0.prefix(300).map { $0 == .space || ASCII.isVisible($0) ? $0 : .questionMark }, as: UTF8.self
            )
        }
    }
}
