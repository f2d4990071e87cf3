internal import Glibc

/// What a server said and nobody has read yet, in a fixed buffer; and how long it may still take.
///
/// Time counts only while we wait for the server: a message that is slow to be filed here is not the server's fault.
final class ByteReader {
    /// As much as a busy line gives at a time: 16 TLS records, so that one write(2) serves a whole usual message.
    private static let capacity = 256 * 1024

    private let channel: any ByteChannel
    private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    private var start = 0
    private var end = 0
    private let stall: Duration
    /// When the run is over, whatever is under way; nil: never.
    var runEnd: ContinuousClock.Instant?
    /// Left for the answer that is being read.
    var answerAllowance: Duration = .zero
    /// Left for the command that is being answered.
    var commandAllowance: Duration = .zero

    init(channel: any ByteChannel, stall: Duration) {
        self.channel = channel
        self.stall = stall
    }

    deinit { storage.deallocate() }

    var hasBuffered: Bool { start < end }

    /// False when nothing came within `time`.
    func waitForData(atMost time: Duration) throws(FetchError) -> Bool {
        guard start == end else { return true }
        do {
            (start, end) = (0, try channel.receive(into: storage, until: .now + time))
            return true
        } catch let error {
            guard error.code == .timedOut else { throw error }
            return false
        }
    }

    func peek() throws(FetchError) -> UInt8 {
        if start == end { try fill() }
        return storage[start]
    }

    func next() throws(FetchError) -> UInt8 {
        if start == end { try fill() }
        defer { start += 1 }
        return storage[start]
    }

    /// The bytes up to the next LF, which is taken too, without the CR before it. Longer than `limit` is a violation.
    func line(limit: Int) throws(FetchError) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            if start == end { try fill() }
            let rest = UnsafeRawBufferPointer(rebasing: storage[start..<end])
            let newline = rest.firstOffset(of: 10)
            let count = newline ?? rest.count
            guard line.count + count <= limit else {
                throw FetchError(.protocolViolation, during: "reading", "a line without end")
            }
            line.append(contentsOf: rest[..<count])
            start += newline == nil ? count : count + 1
            if newline != nil {
                if line.last == 13 { line.removeLast() }
                return line
            }
        }
    }

    /// Gives `body` what is there, at most `limit` bytes of it; as many as it says were taken. Waits when nothing is there.
    func withAvailable<Result>(
        limit: UInt64 = .max, _ body: (UnsafeRawBufferPointer) throws(FetchError) -> (taken: Int, result: Result)
    ) throws(FetchError) -> Result {
        if start == end { try fill() }
        let count = Int(min(limit, UInt64(end - start)))
        let (taken, result) = try body(UnsafeRawBufferPointer(rebasing: storage[start..<start + count]))
        start += taken
        return result
    }

    /// Throws `runLimit` when the run is over.
    static func check(_ runEnd: ContinuousClock.Instant?) throws(FetchError) {
        if let runEnd, .now >= runEnd { throw FetchError(.runLimit, during: "fetching") }
    }

    private func fill() throws(FetchError) {
        let limit = min(stall, answerAllowance, commandAllowance)
        guard limit > .zero else {
            throw FetchError(.timedOut, during: "waiting for the server", "it is slower than the slowest line")
        }
        let begin = ContinuousClock.now
        (start, end) = (0, 0)
        do {
            end = try channel.receive(into: storage, until: min(begin + limit, runEnd ?? begin + limit))
        } catch {
            if error.code == .timedOut { try Self.check(runEnd) }
            throw error
        }
        // A server that is never silent is not listened to for longer, either.
        try Self.check(runEnd)
        let waited = ContinuousClock.now - begin
        answerAllowance -= waited
        commandAllowance -= waited
    }
}

extension UnsafeRawBufferPointer {
    /// memchr(3).
    func firstOffset(of byte: UInt8, from offset: Int = 0) -> Int? {
        guard let baseAddress, offset < count,
            let found = memchr(baseAddress + offset, Int32(byte), count - offset)
        else { return nil }
        return UnsafeRawPointer(found) - baseAddress
    }
}
