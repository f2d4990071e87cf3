internal import Dispatch
internal import FundCore
internal import Glibc

/// A connection over which a test sends any bytes, valid or not.
package final class RawHTTPConnection: Sendable {
    private static let lineEnd = Array("\r\n".utf8)
    /// Bytes that are looked at in search of a mark: more than most headers.
    private static let lookAhead = 4096

    private let descriptor: Int32

    /// - Parameter host: last part of the client's own address, 127.0.0.x.
    package init(port: Int, from host: UInt8 = 1) throws {
        guard let descriptor = LoopbackSocket.connect(port: port, from: host) else {
            throw ServerFailure("cannot connect to port \(port): \(errno)")
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// False when the other side is gone. Lines must end with CRLF where the protocol says so.
    @discardableResult
    package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) async -> Bool {
        await off { LoopbackSocket.send(bytes, to: self.descriptor) }
    }

    /// No more comes from this side.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next response; nil when the connection ends before a whole header came, or nothing comes for `wait`.
    package func response(hasBody: Bool = true, within wait: Duration = .seconds(60)) async -> RawHTTPResponse? {
        await off { self.readResponse(hasBody, wait) }
    }

    /// True when something comes within `wait`; it stays there to be read.
    package func hasInput(within wait: Duration) async -> Bool {
        await off { self.waitForInput(until: .now + wait) }
    }

    /// True when the other side closes within `wait`; what it sends before is thrown away.
    package func isClosed(within wait: Duration) async -> Bool {
        await off {
            let deadline = ContinuousClock.now + wait
            while let bytes = self.receive(until: deadline) {
                if bytes.isEmpty { return true }
            }
            return false
        }
    }

    /// Everything that comes until the other side closes or nothing comes for `wait`.
    package func everything(within wait: Duration = .seconds(60)) async -> [UInt8] {
        await off {
            var all: [UInt8] = []
            while let bytes = self.receive(until: .now + wait), !bytes.isEmpty { all += bytes }
            return all
        }
    }

    /// The text that comes until `mark` came, the other side closes or nothing comes for `wait`.
    package func text(until mark: String, within wait: Duration = .seconds(60)) async -> String {
        await off {
            var all: [UInt8] = []
            var text = ""
            while !text.contains(mark), let bytes = self.receive(until: .now + wait), !bytes.isEmpty {
                all += bytes
                text = String(decoding: all, as: UTF8.self)
            }
            return text
        }
    }

    // MARK: On a thread that may block

    private func off<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await DispatchQueue.runAlone("fundmail.test.http", body)
    }

    /// False when nothing came in time.
    private func waitForInput(until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let rest = (deadline - .now).components
            let milliseconds = rest.seconds * 1000 + rest.attoseconds / 1_000_000_000_000_000
            guard milliseconds >= 0 else { return false }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(clamping: milliseconds))
            if ready < 0, errno == EINTR { continue }
            return ready > 0
        }
    }

    /// Empty at the end or when the connection broke, nil when nothing came in time.
    private func receive(until deadline: ContinuousClock.Instant, atMost count: Int = 65536) -> [UInt8]? {
        waitForInput(until: deadline) ? LoopbackSocket.receive(descriptor, atMost: count) : nil
    }

    /// The bytes up to a mark and with it, and none of those behind it; nil when the connection ends before, or nothing
    /// comes in time.
    private func receive(through mark: [UInt8], until deadline: ContinuousClock.Instant) -> [UInt8]? {
        var found: [UInt8] = []
        while waitForInput(until: deadline) {
            // Bytes of the body or of the next response stay where they are.
            let next = LoopbackSocket.receive(descriptor, atMost: Self.lookAhead, isPeek: true)
            guard !next.isEmpty else { return nil }
            let known = found.count
            found += next
            let end = found.end(of: mark, from: max(0, known + 1 - mark.count))
            let taken = LoopbackSocket.receive(descriptor, atMost: (end ?? found.count) - known)
            guard taken.count == (end ?? found.count) - known else { return nil }
            if let end { return Array(found[..<end]) }
        }
        return nil
    }

    /// False when the last chunk did not come (RFC 9112 §7.1).
    private func readChunks(into body: inout [UInt8], until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            guard let line = receive(through: Self.lineEnd, until: deadline) else { return false }
            guard let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) else { return false }
            // With the line end behind it.
            var rest = size + 2
            while rest > 0 {
                guard let bytes = receive(until: deadline, atMost: rest), !bytes.isEmpty else { return false }
                body += bytes
                rest -= bytes.count
            }
            body.removeLast(2)
            if size == 0 { return true }
        }
    }

    private func readResponse(_ hasBody: Bool, _ wait: Duration) -> RawHTTPResponse? {
        let deadline = ContinuousClock.now + wait
        guard let head = receive(through: Self.lineEnd + Self.lineEnd, until: deadline) else { return nil }
        guard var response = RawHTTPResponse(head: head) else { return nil }
        guard hasBody, response.status >= 200, response.status != 204, response.status != 304 else { return response }
        if response["transfer-encoding"] == "chunked" {
            response.isCut = !readChunks(into: &response.body, until: deadline)
            return response
        }
        let length = response["content-length"].flatMap { Int($0) } ?? .max
        while response.body.count < length {
            let rest = min(length - response.body.count, 65536)
            guard let bytes = receive(until: deadline, atMost: rest), !bytes.isEmpty else { break }
            response.body += bytes
        }
        response.isCut = length != .max && response.body.count < length
        return response
    }
}

extension Array where Element == UInt8 {
    /// The index behind the first such mark that begins at `start` or later.
    fileprivate func end(of mark: [UInt8], from start: Int) -> Int? {
        guard count >= mark.count else { return nil }
        return (start...(count - mark.count)).first { self[$0] == mark[0] && self[$0..<$0 + mark.count] == mark[...] }
            .map { $0 + mark.count }
    }
}
