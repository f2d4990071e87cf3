import FundCore

/// HTML of feeds.
enum FeedMarkup {
    private static let attributes: Set = ["href", "src", "poster"]

    /// The HTML with whole addresses in place of relative ones, as far as it is kept: to `NewsLimits.maxBodyBytes`.
    /// - Parameter base: a whole address; nil, and one that is too long, leave all as they are.
    static func resolved(_ html: String, at base: String?) -> String {
        guard let base, base.utf8.count <= NewsAddress.maxBytes, html.utf8.contains(.lessThan) else { return html }
        let bytes = Array(html.prefix(bytes: NewsLimits.maxBodyBytes).utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 256)
        var (index, copied) = (0, 0)
        while let start = bytes[index...].firstIndex(of: .lessThan) {
            index = start + 1
            guard index < bytes.count, ASCII.isLetter(bytes[index]) else { continue }
            for value in values(bytes, &index) where result.count < NewsLimits.maxBodyBytes {
                let text = String(decoding: FeedText.withoutReferences(bytes[value]), as: UTF8.self)
                guard let whole = NewsAddress.resolved(text, at: base), whole != text.trimmed else { continue }
                result += bytes[copied..<value.lowerBound]
                result += Array(FeedText.escaped(whole).utf8)
                copied = value.upperBound
            }
        }
        return String(decoding: result + bytes[copied...], as: UTF8.self).prefix(bytes: NewsLimits.maxBodyBytes)
    }

    /// Ranges of the quoted values of a tag that are addresses; `index` moves to the end of the tag.
    private static func values(_ bytes: [UInt8], _ index: inout Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        while index < bytes.count, bytes[index] != .greaterThan {
            guard bytes[index] == .equals else {
                index += 1
                continue
            }
            let name = nameBefore(bytes, index)
            index += 1
            while index < bytes.count, ASCII.isSpace(bytes[index]) { index += 1 }
            guard index < bytes.count, bytes[index] == .quote || bytes[index] == .apostrophe else { continue }
            let start = index + 1
            let end = bytes[start...].firstIndex(of: bytes[index]) ?? bytes.count
            if attributes.contains(name) { found.append(start..<end) }
            index = min(end + 1, bytes.count)
        }
        return found
    }

    /// The name of the attribute whose `=` stands at `end`, in lower case.
    private static func nameBefore(_ bytes: [UInt8], _ end: Int) -> String {
        var last = end
        while last > 0, ASCII.isSpace(bytes[last - 1]) { last -= 1 }
        var first = last
        while first > 0, ASCII.isLetter(bytes[first - 1]) { first -= 1 }
        return ASCII.lowercased(bytes[first..<last])
    }
}
