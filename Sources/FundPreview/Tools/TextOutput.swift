import FundCore

/// Text as it is kept: valid UTF-8 without controls that no page shows, at most a MiB.
enum TextOutput {
    static let maxBytes = 1 << 20

    /// Bytes that are no UTF-8 become U+FFFD; tabs, line ends and form feeds stay of the controls.
    static func clean(_ bytes: [UInt8]) -> [UInt8] {
        var start = bytes[...]
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        let cut = start.prefix(maxBytes)
        let text = String(validating: cut, as: UTF8.self) ?? String(decoding: cut, as: UTF8.self)
        var kept = text.utf8.filter { $0 >= .space && $0 != .delete || [.tab, .lf, .ff].contains($0) }
        // Repairs make it longer.
        if kept.count > maxBytes || cut.count < start.count { kept = wholeCharacters(kept.prefix(maxBytes)) }
        return kept
    }

    /// Without the character that is cut off at the end.
    private static func wholeCharacters(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes
        while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
        // The first byte of a character, of which nothing or not all follows.
        if let last = bytes.last, last >= 0xC0 { bytes.removeLast() }
        return Array(bytes)
    }
}
