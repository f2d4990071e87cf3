import FundCore
internal import Glibc

/// Collects the bytes of one frame.
struct FrameBuffer {
    private static let startBytes = 64 << 10

    private var bytes = [UInt8](repeating: 0, count: startBytes)
    private var count = 0

    mutating func removeAll() {
        count = 0
        // One long answer should not cost memory for ever.
        if bytes.count > 16 * Self.startBytes { bytes = [UInt8](repeating: 0, count: Self.startBytes) }
    }

    /// Where the body of the frame stands, nil while bytes are missing. Throws when it is too long or not the last.
    mutating func body() throws(WireError) -> Range<Int>? {
        guard count >= Wire.lengthBytes else { return nil }
        let length = bytes.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
        guard (1...Wire.maxResponseBytes).contains(length) else { throw WireError(what: "a frame of \(length) bytes") }
        let end = Wire.lengthBytes + length
        if end > bytes.count { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
        guard count <= end else { throw WireError(what: "more than one answer") }
        return count == end ? Wire.lengthBytes..<end : nil
    }

    /// The bytes of a range.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// One recv(2): its result.
    mutating func fill(from socket: Int32) -> Int {
        let start = count
        if start == bytes.count { bytes.append(contentsOf: repeatElement(0, count: Self.startBytes)) }
        let received = bytes.withUnsafeMutableBytes {
            recv(socket, $0.baseAddress.map { $0 + start }, $0.count - start, Int32(MSG_DONTWAIT))
        }
        if received > 0 { count += received }
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
