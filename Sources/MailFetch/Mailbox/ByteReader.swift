internal import MailConnection
internal import FundCore
internal import Glibc

/// Bytes that came from a server and are not read yet, in a fixed buffer, and the time that the server has left.
///
/// Time counts only while this side waits for the server: it is not to blame for a message that is filed slowly.
final class ByteReader {
    /// Bytes that a fast connection gives at a time: 16 TLS records. One write(2) then takes a usual message whole.
    private static let capacity = 256 * 1024

    private let channel: any ByteChannel
    private let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    private var start = 0
    private var end = 0
    private let stall: Duration
    /// When the run is over, even in the middle of an answer; nil: never.
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
    func waitForData(atMost time: Duration) throws(ConnectionError) -> Bool {
        guard start == end else { return true }
        do {
            (start, end) = (0, try channel.receive(into: storage, until: .now + time))
            return true
        } catch let error {
            guard error.code == .timedOut else { throw error }
            return false
        }
    }

    func peek() throws(ConnectionError) -> UInt8 {
        if start == end { try fill() }
        return storage[start]
    }

    func next() throws(ConnectionError) -> UInt8 {
        if start == end { try fill() }
        defer { start += 1 }
        return storage[start]
    }

    /// The bytes up to the next LF, which is taken too, without the CR before it. Longer than `limit` is a violation.
    func line(limit: Int) throws(ConnectionError) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            if start == end { try fill() }
            let rest = UnsafeRawBufferPointer(rebasing: storage[start..<end])
            let newline = rest.firstOffset(of: .lf)
            let count = newline ?? rest.count
            guard line.count + count <= limit else {
                throw ConnectionError(.protocolViolation, during: "reading", "a line without end")
            }
            line.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<count]))
            start += newline == nil ? count : count + 1
            if newline != nil {
                if line.last == .cr { line.removeLast() }
                return line
            }
        }
    }

    /// Gives `body` the buffered bytes, at most `limit`, and drops what it took. Waits when none are buffered.
    func withAvailable<Result>(
        limit: UInt64 = .max, _ body: (UnsafeRawBufferPointer) throws(ConnectionError) -> (taken: Int, result: Result)
    ) throws(ConnectionError) -> Result {
        if start == end { try fill() }
        let count = Int(min(limit, UInt64(end - start)))
        let (taken, result) = try body(UnsafeRawBufferPointer(rebasing: storage[start..<start + count]))
        start += taken
        return result
    }

    /// Throws `runLimit` when the run is over.
    static func check(_ runEnd: ContinuousClock.Instant?) throws(ConnectionError) {
        if let runEnd, .now >= runEnd { throw ConnectionError(.runLimit, during: "fetching") }
    }

    private func fill() throws(ConnectionError) {
        let limit = min(stall, answerAllowance, commandAllowance)
        guard limit > .zero else {
            throw ConnectionError(.timedOut, during: "waiting for the server", "it is slower than the slowest line")
        }
        let begin = ContinuousClock.now
        (start, end) = (0, 0)
        do {
            end = try channel.receive(into: storage, until: min(begin + limit, runEnd ?? begin + limit))
        } catch {
            if error.code == .timedOut { try Self.check(runEnd) }
            throw error
        }
        // Also when bytes keep coming: a server that is never silent must not outlast the run.
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

extension UInt8 {
    var isLineEnd: Bool { self == .cr || self == .lf }
    var isParenthesis: Bool { self == .openParenthesis || self == .closeParenthesis }
}
