import FundCore

/// Takes the texts of a file for its fields, as long as there is room: their JSON stays below `FileFields.maxBytes`.
struct FieldRoom {
    /// Bytes around a text in JSON: quotation marks, a comma, and its name or the braces of an object with it.
    private static let frameBytes = 40

    /// Bytes in JSON beside texts: times, numbers, and lists without anything in them.
    private static let reservedBytes = 32 << 10

    /// Bytes of JSON that are left.
    private var left = FileFields.maxBytes - reservedBytes

    /// A text of the file is not taken, or not all of it, since there is no room for it.
    private(set) var hasLeftOut = false

    /// Nothing more is taken.
    var isFull: Bool { left <= Self.frameBytes }

    /// One line without controls, and without what turns the direction of writing; nil for one of which nothing is
    /// seen. A longer one is cut.
    mutating func line(_ text: String, atMost limit: Int = FieldLimits.maxLineBytes) -> String? {
        take(Self.trimmed(text.prefix(bytes: 2 * limit).label), atMost: limit, isCut: text.utf8.count > 2 * limit)
    }

    /// A text of several lines, the same way.
    mutating func text(_ text: String, atMost limit: Int = FieldLimits.maxTextBytes) -> String? {
        let isCut = text.utf8.count > 2 * limit
        let lines = Array(text.prefix(bytes: 2 * limit).utf8).split(separator: .lf, omittingEmptySubsequences: false)
        let shown = lines.map { Self.trimmedEnd(String(decoding: $0, as: UTF8.self).label) }.joined(separator: "\n")
        return take(Self.trimmed(shown), atMost: limit, isCut: isCut)
    }

    /// A cell of a table, which may be empty. Nil when there is no room.
    mutating func cell(_ text: String) -> String? {
        let shown = Self.trimmed(text.label)
        let bytes = Self.jsonBytes(shown) + 3
        guard bytes <= left else {
            (left, hasLeftOut) = (0, true)
            return nil
        }
        left -= bytes
        return shown
    }

    /// Words of this program that stand in a list beside a text that was taken.
    mutating func add(_ words: [String]) {
        left = max(0, left - words.reduce(0) { $0 + Self.jsonBytes($1) + 3 })
    }

    private mutating func take(_ text: String, atMost limit: Int, isCut: Bool) -> String? {
        guard text.hasVisibleScalar else { return nil }
        guard !isFull else {
            hasLeftOut = true
            return nil
        }
        var shown = text
        if isCut || shown.utf8.count > limit { shown = text.prefix(bytes: limit) + FieldLimits.ellipsis }
        if Self.jsonBytes(shown) > left - Self.frameBytes {
            // Each byte takes two at the most.
            let bytes = (left - Self.frameBytes) / 2 - FieldLimits.ellipsis.utf8.count
            shown = shown.prefix(bytes: bytes) + FieldLimits.ellipsis
            (left, hasLeftOut) = (0, true)
            return shown
        }
        left -= Self.jsonBytes(shown) + Self.frameBytes
        return shown
    }

    private static func jsonBytes(_ text: String) -> Int {
        text.utf8.reduce(0) { $0 + ($1 == .quote || $1 == .backslash || $1 < .space ? 2 : 1) }
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: ASCII.trimmed(bytes[...]), as: UTF8.self)
    }

    private static func trimmedEnd(_ text: String) -> String {
        guard let last = text.utf8.lastIndex(where: { !ASCII.isSpace($0) }) else { return "" }
        return String(decoding: text.utf8[...last], as: UTF8.self)
    }
}
