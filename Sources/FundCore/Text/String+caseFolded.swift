extension Unicode.Scalar {
    /// Full case folding (Unicode §3.13, CaseFolding.txt statuses C and F): `ß` and `ẞ` are both `ss`, the Turkish
    /// `ı` stays what it is. Cherokee becomes small letters instead of capitals, which makes no difference between two
    /// foldings.
    package var caseFolded: String {
        if ("A"..."Z").contains(self) { return String(Unicode.Scalar(UInt8(value) | 0x20)) }
        guard value >= 0x80, properties.changesWhenLowercased || properties.changesWhenCaseFolded else {
            return String(self)
        }
        // Lower case first: the capital `ẞ` has no upper case of its own, while that of `ß` is `SS`.
        return properties.lowercaseMapping.unicodeScalars.map { lower in
            lower.properties.uppercaseMapping.unicodeScalars.map(\.properties.lowercaseMapping).joined()
        }.joined()
    }
}

extension String {
    /// Each of its scalars folded.
    package var caseFolded: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        return unicodeScalars.reduce(into: "") { $0 += $1.caseFolded }
    }
}
