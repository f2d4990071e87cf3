/// The script of a server, read from a transcript file.
///
/// A line of a transcript begins with a word; empty lines and those that begin with `#` mean nothing.
///
///     S: text            sends the text and CRLF
///     S| text            sends the text alone; knows \r \n \t \0 \\ and \xHH
///     BYTES 00 ff        sends these bytes
///     C: pattern         waits for a line that matches; other lines go to the rules
///     ON pattern … END   a rule: whenever such a line comes, this happens. The first rule that matches counts
///     ONCE pattern … END the same, but only the first time, over all connections
///     MESSAGE name … END a message, for `{@name}`; its lines get CRLF
///     SPLIT n            from now on sends pieces of n bytes, each in a packet of its own
///     DRIP ms            from now on sends a byte each so many milliseconds
///     RECEIVE            waits for bytes of the client, lines or not, and throws them away
///     FLOOD n text       sends the text n times; `\` as in `S|`
///     CUT                ends the connection; RESET ends it with RST
///     SILENCE            reads whatever comes until the client goes, and answers nothing
///     INCLUDE file       the lines of another transcript
///
/// In patterns `*` stands for anything; case does not count. In texts `$tag` is the first word of the client's last
/// line, `$line` that line without its tag, `{@name}` a message as IMAP literal with its length before it, `{@name+n}`
/// and `{@name-n}` the same with a length that is wrong by n, `@size(name)` its length, and `@text(name)` its bytes
/// alone.
///
/// Lines before the first rule, and those between rules, run from the start of each connection; then the rules serve. A
/// line that no rule and no `C:` takes is answered with BAD or -ERR and counts as a problem of the test.
package struct ServerScript: Sendable {
    enum Step: Sendable {
        case send(text: String, lineEnd: Bool)
        case bytes([UInt8])
        case expect(pattern: String)
        case split(Int)
        case drip(milliseconds: Int)
        case receive
        case flood(times: Int, text: String)
        case cut(isReset: Bool)
        case silence
    }

    struct Rule: Sendable {
        var pattern: String
        var isOnce: Bool
        var steps: [Step]
    }

    var steps: [Step] = []
    var rules: [Rule] = []
    package internal(set) var messages: [String: [UInt8]] = [:]

    /// Reads a transcript; throws, naming the line, when it is not as above.
    package init(file path: String) throws {
        try self.init(Self.lines(of: path))
    }

    /// Reads the script from a text, whose INCLUDE lines name transcripts in `folder`.
    package init(_ text: String, including folder: String) throws {
        try self.init(Self.lines(text, place: "text", folder: folder))
    }

    private init(_ all: [Line]) throws {
        var lines = all[...]
        while let line = lines.popFirst() {
            let (word, rest) = Self.split(line.text)
            switch word {
            case "ON", "ONCE":
                var rule = Rule(pattern: rest, isOnce: word == "ONCE", steps: [])
                for line in try Self.block(&lines, after: line) { rule.steps.append(try Self.step(line)) }
                rules.append(rule)
            case "MESSAGE":
                let text = try Self.block(&lines, after: line, verbatim: true).map { $0.text + "\r\n" }.joined()
                messages[rest] = Array(text.utf8)
            default:
                if !Self.isIdle(line.text) { steps.append(try Self.step(line)) }
            }
        }
    }

    private struct Line {
        var text: String
        var place: String
    }

    private static func lines(of path: String) throws -> [Line] {
        let text = String(decoding: try TestFile.read(path), as: UTF8.self)
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        return try lines(text, place: path, folder: folder)
    }

    private static func lines(_ text: String, place: String, folder: String) throws -> [Line] {
        var lines: [Line] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let (word, rest) = split(String(line))
            if word == "INCLUDE" {
                lines += try Self.lines(of: "\(folder)/\(rest)")
            } else {
                lines.append(Line(text: String(line), place: "\(place):\(index + 1)"))
            }
        }
        return lines
    }

    /// The lines up to `END`; a message keeps those that would mean nothing elsewhere.
    private static func block(_ lines: inout ArraySlice<Line>, after start: Line, verbatim: Bool = false) throws
        -> [Line]
    {
        var block: [Line] = []
        while let line = lines.popFirst() {
            if line.text == "END" { return block }
            if verbatim || !isIdle(line.text) { block.append(line) }
        }
        throw ServerFailure("\(start.place): no END")
    }

    private static func isIdle(_ text: String) -> Bool { text.isEmpty || text.hasPrefix("#") }

    private static func split(_ line: String) -> (word: String, rest: String) {
        let word = line.prefix { $0 != " " }
        return (String(word), String(line.dropFirst(word.count + 1)))
    }

    private static func step(_ line: Line) throws -> Step {
        let (word, rest) = split(line.text)
        func number(_ text: some StringProtocol) throws -> Int {
            guard let value = Int(text) else { throw ServerFailure("\(line.place): \(text) is no number") }
            return value
        }
        switch word {
        case "S:": return .send(text: rest, lineEnd: true)
        case "S|": return .send(text: try unescaped(rest, line), lineEnd: false)
        case "BYTES":
            return .bytes(
                try rest.split(separator: " ").map { word in
                    guard let byte = UInt8(word, radix: 16) else { throw ServerFailure("\(line.place): \(word)") }
                    return byte
                })
        case "C:": return .expect(pattern: rest)
        case "SPLIT": return .split(try number(rest))
        case "DRIP": return .drip(milliseconds: try number(rest))
        case "RECEIVE": return .receive
        case "FLOOD":
            let (times, text) = split(rest)
            return .flood(times: try number(times), text: try unescaped(text, line))
        case "CUT": return .cut(isReset: false)
        case "RESET": return .cut(isReset: true)
        case "SILENCE": return .silence
        default: throw ServerFailure("\(line.place): unknown word \(word)")
        }
    }

    private static func unescaped(_ text: String, _ line: Line) throws -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "r": result.append("\r")
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "0": result.append("\0")
            case "\\": result.append("\\")
            case "x":
                guard let value = UInt8(rest.prefix(2), radix: 16), value < 128 else {
                    throw ServerFailure("\(line.place): \\x takes two hexadecimal digits below 80")
                }
                result.unicodeScalars.append(Unicode.Scalar(value))
                rest = rest.dropFirst(2)
            default: throw ServerFailure("\(line.place): unknown escape")
            }
        }
        return result
    }
}
