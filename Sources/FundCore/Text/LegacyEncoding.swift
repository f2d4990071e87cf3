/// Encodings of before Unicode: those of Chinese, Japanese and Korean by their pairs of bytes, else that of Windows for
/// western languages.
enum LegacyEncoding {
    /// Fewer bytes than this may be anything.
    private static let leastBytes = 24

    private struct Candidate {
        var name: String
        var leads: [ClosedRange<UInt8>]
        var trails: [ClosedRange<UInt8>]
        /// The first bytes of its most frequent characters.
        var frequentLeads: [ClosedRange<UInt8>]
        var frequentTrails: [ClosedRange<UInt8>]
    }

    /// The ones with fewer frequent characters first: of equal scores the first one counts.
    private static let candidates = [
        // Hangul of KS X 1001.
        Candidate(
            name: "UHC", leads: [0x81...0xFE], trails: [0x41...0x5A, 0x61...0x7A, 0x81...0xFE],
            frequentLeads: [0xA1...0xA3, 0xB0...0xC8], frequentTrails: [0xA1...0xFE]),
        // Kana, and the first level of JIS X 0208.
        Candidate(
            name: "CP932", leads: [0x81...0x9F, 0xE0...0xFC], trails: [0x40...0x7E, 0x80...0xFC],
            frequentLeads: [0x81...0x83, 0x88...0x98], frequentTrails: [0x40...0x7E, 0x80...0xFC]),
        // The first level of Big5, ordered by strokes.
        Candidate(
            name: "BIG5", leads: [0x81...0xFE], trails: [0x40...0x7E, 0xA1...0xFE],
            frequentLeads: [0xA1...0xC6], frequentTrails: [0x40...0x7E, 0xA1...0xFE]),
        // The first level of GB 2312, ordered by sound.
        Candidate(
            name: "GB18030", leads: [0x81...0xFE], trails: [0x40...0x7E, 0x80...0xFE],
            frequentLeads: [0xA1...0xA3, 0xB0...0xD7], frequentTrails: [0xA1...0xFE]),
    ]

    /// The name for iconv(1); nil for what is no text.
    ///
    /// - Parameter bytes: without controls, and not UTF-8.
    static func guess(_ bytes: [UInt8]) -> String? {
        let high = bytes.count { $0 >= 128 }
        guard bytes.count >= leastBytes else { return nil }
        let scored = candidates.compactMap { candidate in score(bytes, candidate).map { (candidate.name, $0) } }
        if high * 5 >= bytes.count, let best = scored.max(by: { $0.1 < $1.1 }), best.1 >= 0.8 { return best.0 }
        if high * 3 < bytes.count { return isWestern(bytes) ? "CP1252" : scored.max { $0.1 < $1.1 }?.0 }
        return nil
    }

    /// The share of frequent characters; nil when the bytes are no pairs of this encoding.
    private static func score(_ bytes: [UInt8], _ candidate: Candidate) -> Double? {
        var (pairs, frequent, wrong, index) = (0, 0, 0, 0)
        while index < bytes.count {
            let lead = bytes[index]
            index += 1
            guard lead >= 128 else { continue }
            guard index < bytes.count else { break }
            let trail = bytes[index]
            guard candidate.leads.holds(lead), candidate.trails.holds(trail) else {
                wrong += 1
                continue
            }
            index += 1
            pairs += 1
            if candidate.frequentLeads.holds(lead), candidate.frequentTrails.holds(trail) { frequent += 1 }
        }
        guard pairs > 0, wrong * 50 <= pairs else { return nil }
        return Double(frequent) / Double(pairs)
    }

    /// Letters with accents and punctuation stand between letters and spaces, seldom two in a row.
    private static func isWestern(_ bytes: [UInt8]) -> Bool {
        var (high, together) = (0, 0)
        for index in bytes.indices where bytes[index] >= 128 {
            high += 1
            if index > 0, bytes[index - 1] >= 128 { together += 1 }
        }
        return together * 3 <= high
    }
}

extension [ClosedRange<UInt8>] {
    fileprivate func holds(_ byte: UInt8) -> Bool { contains { $0.contains(byte) } }
}
