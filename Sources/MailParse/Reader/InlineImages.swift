import FundCore

/// The Content-IDs that an HTML text shows (RFC 2392 `cid:` URLs).
enum InlineImages {
    private static let ends: [UInt8] = [.quote, .apostrophe, .lessThan, .greaterThan, .closeParenthesis]

    /// Percent-decoded, as they stand between `cid:` and what ends a URL in HTML or CSS.
    static func references(in html: String) -> Set<String> {
        var html = html
        return html.withUTF8 { text in
            var found: Set<String> = []
            var index = 0
            while index + 4 < text.count {
                // Looks for the colon, of which there are few.
                guard let colon = text[(index + 3)...].firstIndex(of: .colon) else { break }
                index = colon
                guard ASCII.lowercased(text[(colon - 3)..<colon]) == "cid" else { continue }
                let url = text[(colon + 1)...].prefix { $0 > .space && !ends.contains($0) }
                // On behind the URL: one that is `cid:cid:cid:…` is read once, not once for each.
                index = max(colon, url.endIndex - 3)
                guard !url.isEmpty, url.count <= Wire.maxContentIDBytes else { continue }
                found.insert(String(decoding: PercentCoding.decodedLeniently(Array(url)[...]), as: UTF8.self))
            }
            return found
        }
    }
}
