// Characters, names, and what is skipped.
extension MarkupReader {
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    func looksAt(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes in
            position + bytes.count <= scalars.count
                && bytes.indices.allSatisfy { scalars[position + $0].value == UInt32(bytes[$0]) }
        }
    }

    mutating func expect(_ text: String) throws {
        for scalar in text.unicodeScalars {
            guard position < scalars.count, scalars[position] == scalar else {
                throw MarkupError(reason: "\(text) is missing")
            }
            position += 1
        }
    }

    /// Whether there was any space.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while position < scalars.count, Self.isSpace(scalars[position]) { position += 1 }
        return position > start
    }

    mutating func skip(past end: StaticString) throws {
        while position < scalars.count {
            if looksAt(end) {
                position += end.utf8CodeUnitCount
                return
            }
            position += 1
        }
        throw MarkupError(reason: "\(end) is missing")
    }

    mutating func skipComment() throws {
        position += 4
        try skip(past: "--")
        try expect(">")
    }

    mutating func skipInstruction() throws {
        position += 2
        let target = try readName()
        guard target.prefix.isEmpty, target.local.lowercased() != "xml" else {
            throw MarkupError(reason: "an XML declaration stands where none may be")
        }
        try skip(past: "?>")
    }

    /// A name with at most one colon, which separates the prefix (Namespaces in XML 1.0 §4).
    mutating func readName() throws -> Tag {
        let first = try readPart()
        guard looksAt(":") else { return Tag(prefix: "", local: first) }
        position += 1
        return Tag(prefix: first, local: try readPart())
    }

    /// Names and namespaces are hashed, in quadratic time for long runs of combining marks.
    static func comparable(_ name: String) throws -> String {
        guard name.isStreamSafe else { throw MarkupError(reason: "a name holds too many combining marks in a row") }
        return name
    }

    private mutating func readPart() throws -> String {
        var name = String.UnicodeScalarView()
        while position < scalars.count,
            MarkupName.isStart(scalars[position]) || (!name.isEmpty && MarkupName.isContinuation(scalars[position]))
        {
            name.append(scalars[position])
            position += 1
        }
        guard !name.isEmpty else {
            throw MarkupError(reason: "a name is missing, or holds what not every reader takes")
        }
        return try Self.comparable(String(name))
    }
}
