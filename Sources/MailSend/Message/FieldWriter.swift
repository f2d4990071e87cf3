internal import FundCore

/// One field of a header, folded in front of words so that its lines stay short (RFC 5322 §2.2.3).
struct FieldWriter {
    /// RFC 5322 §2.1.1; RFC 2047 §2 has 76 for lines with encoded words.
    private static let maxLineBytes = 76
    /// Longest word that a line of its own takes.
    static let maxWordBytes = maxLineBytes - 1

    private(set) var text: String
    private var column: Int

    /// - Parameter name: without the colon.
    init(_ name: String) {
        text = "\(name):"
        column = text.utf8.count
    }

    /// Bytes that the line has left for a word.
    var room: Int { Self.maxLineBytes - column - 1 }

    /// Adds a space and a word, in a new line where this one has no room. A word that is longer than a line, such as a
    /// Message-ID, stays whole.
    mutating func add(_ word: String) {
        if word.utf8.count > room {
            text += "\r\n"
            column = 0
        }
        text += " \(word)"
        column += 1 + word.utf8.count
    }

    mutating func add(_ words: some Sequence<String>) { for word in words { add(word) } }

    /// Adds text of people, encoded where it has to be.
    mutating func add(unstructured text: String) {
        if HeaderText.isPlain(text) {
            add(text.split(separator: " ").map(String.init))
        } else {
            add(EncodedWords.words(text, room: room))
        }
    }

    /// Adds addresses (RFC 5322 §3.4), each with its name.
    mutating func add(_ list: [Correspondent]) {
        for (index, person) in list.enumerated() {
            let comma = index + 1 < list.count ? "," : ""
            guard let name = person.name, !name.isEmpty else {
                add("\(person.address)\(comma)")
                continue
            }
            if HeaderText.isPlain(name), name.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "- ".utf8.contains($0) }) {
                add(unstructured: name)
            } else if HeaderText.isPlain(name), name.utf8.count <= Self.maxWordBytes / 2 {
                let escaped = name.replacing(scalar: "\\", with: #"\\"#).replacing(scalar: "\"", with: #"\""#)
                add("\"\(escaped)\"")
            } else {
                add(EncodedWords.words(name, room: room))
            }
            add("<\(person.address)>\(comma)")
        }
    }

    /// Adds a value with parameters: `attachment; filename="a.pdf"`.
    mutating func add(_ value: String, parameters: [String]) {
        let words = [value] + parameters
        add(words.dropLast().map { "\($0);" } + words.suffix(1))
    }
}
