internal import Glibc
import Synchronization

/// One connection of a scripted server.
struct ScriptedConversation {
    /// The end of a connection.
    private struct Over: Error {}

    private let script: ServerScript
    private let socket: Int32
    private let number: Int
    private let log: ScriptedServer.Log

    private var buffer: [UInt8] = []
    private var tag = "*"
    private var line = ""
    private var pieceBytes = Int.max
    private var pause: UInt32 = 0
    private var isReset = false

    init(script: ServerScript, socket: Int32, number: Int, log: ScriptedServer.Log) {
        self.script = script
        self.socket = socket
        self.number = number
        self.log = log
    }

    mutating func run() {
        do {
            try perform(script.steps)
            while true { try serve(try readLine()) }
        } catch {
            if isReset { LoopbackSocket.resetWhenClosed(socket) } else { LoopbackSocket.shutDown(socket) }
        }
    }

    private mutating func perform(_ steps: [ServerScript.Step]) throws {
        for step in steps {
            switch step {
            case .send(let text, let lineEnd): try send(expand(text) + (lineEnd ? [13, 10] : []))
            case .bytes(let bytes): try send(bytes)
            case .expect(let pattern):
                while true {
                    let line = try readLine()
                    if Self.matches(line, pattern) { break }
                    try serve(line)
                }
            case .split(let count): pieceBytes = count
            case .drip(let milliseconds): (pieceBytes, pause) = (1, UInt32(milliseconds) * 1000)
            case .receive: _ = try receive()
            case .flood(let times, let text):
                // In large pieces: a flood is about its size.
                let unit = expand(text)
                let perPiece = max(1, min(times, 65536 / max(unit.count, 1)))
                let piece = Array(repeatElement(unit, count: perPiece).joined())
                for _ in 0..<(times / perPiece) { try send(piece) }
                try send(Array(piece.prefix(times % perPiece * unit.count)))
            case .cut(let isReset):
                self.isReset = isReset
                throw Over()
            case .silence:
                while true { _ = try receive() }
            }
        }
    }

    private mutating func serve(_ line: String) throws {
        for (index, rule) in script.rules.enumerated() where Self.matches(line, rule.pattern) {
            if rule.isOnce {
                guard log.record.withLock({ $0.spent.insert(index).inserted }) else { continue }
            }
            return try perform(rule.steps)
        }
        log.record.withLock { $0.problems.append("unforeseen: \(line)") }
        try send(Array("\(tag) BAD unforeseen\r\n-ERR unforeseen\r\n".utf8))
    }

    private mutating func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let bytes = buffer[..<end].last == 13 ? buffer[..<end].dropLast() : buffer[..<end]
                let text = String(decoding: bytes, as: UTF8.self)
                buffer.removeFirst(end + 1)
                tag = String(text.prefix { $0 != " " })
                line = String(text.dropFirst(tag.count + 1))
                log.record.withLock { $0.lines[number].append(text) }
                return text
            }
            buffer += try receive()
        }
    }

    private func receive() throws -> [UInt8] {
        let bytes = LoopbackSocket.receive(socket)
        guard !bytes.isEmpty else { throw Over() }
        log.record.withLock { $0.receivedBytes += bytes.count }
        return bytes
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieceBytes)
            guard LoopbackSocket.send(piece, to: socket) else { throw Over() }
            log.record.withLock { $0.sentBytes += piece.count }
            rest = rest.dropFirst(piece.count)
            if pause > 0 {
                // The pace of the server is what the client is to bear.
                usleep(pause)
            } else if pieceBytes != Int.max, !rest.isEmpty {
                sched_yield()
            }
        }
    }

    private func expand(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let character = rest.first {
            if rest.hasPrefix("$tag") {
                result += tag.utf8
                rest = rest.dropFirst(4)
            } else if rest.hasPrefix("$line") {
                result += line.utf8
                rest = rest.dropFirst(5)
            } else if let (bytes, after) = message(rest) {
                result += bytes
                rest = after
            } else {
                result += String(character).utf8
                rest = rest.dropFirst()
            }
        }
        return result
    }

    /// `{@name}`, `{@name±n}`, `@size(name)` and `@text(name)`.
    private func message(_ text: Substring) -> (bytes: [UInt8], after: Substring)? {
        for (opening, closing) in [("{@", "}"), ("@size(", ")"), ("@text(", ")")] where text.hasPrefix(opening) {
            let rest = text.dropFirst(opening.count)
            guard let end = rest.firstRange(of: closing) else { return nil }
            let words = rest[..<end.lowerBound]
            let name = words.prefix { $0 != "+" && $0 != "-" }
            guard let bytes = script.messages[String(name)] else { return nil }
            let after = rest[end.upperBound...]
            switch opening {
            case "@size(": return (Array("\(bytes.count)".utf8), after)
            case "@text(": return (bytes, after)
            default:
                let wrong = Int(words.dropFirst(name.count)) ?? 0
                return (Array("{\(bytes.count + wrong)}\r\n".utf8) + bytes, after)
            }
        }
        return nil
    }

    /// `*` stands for any characters, none included; case does not count.
    static func matches(_ line: String, _ pattern: String) -> Bool {
        let parts = pattern.lowercased().split(separator: "*", omittingEmptySubsequences: false)
        var rest = line.lowercased()[...]
        guard let first = parts.first, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        guard parts.count > 1, let last = parts.last else { return rest.isEmpty }
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.firstRange(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
