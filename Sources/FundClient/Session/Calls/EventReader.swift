/// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) out of the pieces of a body.
struct ServerEvent: Sendable, Hashable {
    var name = "message"
    /// Lines with line feeds between them.
    var data = ""
    var id: String?
}

/// The events of a response that is asked for with the first of them.
///
/// `@unchecked Sendable`: read by one task at a time, as the stream over it is.
final class EventReader: @unchecked Sendable {
    /// A line that never ends is no event.
    private static let maxLineBytes = 1024 * 1024

    private let open: @Sendable () async throws -> ResponseBody
    private var lines = EventLines()
    private var pieces: ResponseBody.Iterator?
    private var hasEnded = false

    init(_ open: @escaping @Sendable () async throws -> ResponseBody) { self.open = open }

    /// Nil when the response ends.
    func next() async throws -> ServerEvent? {
        while true {
            if let event = lines.next() { return event }
            guard !hasEnded else { return nil }
            guard lines.pendingByteCount <= Self.maxLineBytes else {
                throw ClientError(.protocolViolation, "an event is too long")
            }
            if let piece = try await nextPiece() { lines.append(piece) } else { hasEnded = true }
        }
    }

    private func nextPiece() async throws -> [UInt8]? {
        var reading: ResponseBody.Iterator
        if let pieces { reading = pieces } else { reading = try await open().makeAsyncIterator() }
        do {
            let piece = try await reading.next()
            pieces = reading
            return piece
        } catch let error as TransportError {
            throw ClientError(error)
        }
    }
}

/// Takes events apart, whichever way their bytes were cut.
struct EventLines {
    private var bytes: [UInt8] = []
    private var event = ServerEvent()
    private var hasData = false

    var pendingByteCount: Int { bytes.count }

    mutating func append(_ piece: [UInt8]) { bytes += piece }

    /// The next whole event; nil when more bytes are needed. Comments are passed over.
    mutating func next() -> ServerEvent? {
        var begin = 0
        defer { bytes.removeFirst(begin) }
        while let end = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            var line = bytes[begin..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            begin = end + 1
            guard line.isEmpty else {
                take(String(decoding: line, as: UTF8.self))
                continue
            }
            defer { (event, hasData) = (ServerEvent(), false) }
            if hasData { return event }
        }
        return nil
    }

    private mutating func take(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? String(parts[1].first == " " ? parts[1].dropFirst() : parts[1]) : ""
        switch parts[0] {
        case "event": event.name = value
        case "id": event.id = value
        case "data":
            event.data += hasData ? "\n" + value : value
            hasData = true
        default: break
        }
    }
}
