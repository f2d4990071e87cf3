/// Text that browsers draw in time that grows with its length.
///
/// Chromium takes quadratic time for a pile of combining marks or emoji modifiers on one character, also where unseen
/// characters or tags stand between them (24 s for 100,000 marks), and for a word of letters that it joins or divides
/// by a dictionary, as in Arabic and Thai (60 s for 300,000). A dotted circle, which Unicode has for marks without a
/// letter, bears what is on top of 256 bytes, more than the name of a file may have, and a hair space ends a word of
/// 1,000 letters. Text of any language in use stays as it is.
extension String {
    /// This text with its piles and words divided.
    package var drawable: String { divided(asMarkup: false) }

    /// This markup with its piles and words divided. It has `<` and `>` around tags alone.
    package var drawableMarkup: String { divided(asMarkup: true) }

    private func divided(asMarkup isMarkup: Bool) -> String {
        guard !isASCII else { return self }
        var run = DrawnRun(isMarkup: isMarkup)
        guard unicodeScalars.contains(where: { run.add($0) != nil }) else { return self }
        run = DrawnRun(isMarkup: isMarkup)
        var result = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let divider = run.add(scalar) { result.append(divider) }
            result.append(scalar)
        }
        return String(result)
    }
}

/// The pile and the word that the scalar which was read last belongs to.
private struct DrawnRun {
    private static let maxPileBytes = 256
    private static let maxWordScalars = 1000

    let isMarkup: Bool
    private var pileBytes = 0
    private var wordScalars = 0
    private var isInTag = false

    init(isMarkup: Bool) { self.isMarkup = isMarkup }

    /// Takes the next scalar. Returns what must stand before it.
    mutating func add(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        if isMarkup, scalar == "<" || scalar == ">" {
            isInTag = scalar == "<"
            return nil
        }
        let kind = scalar.drawnKind
        if isInTag, kind == .plain { return nil }
        switch kind {
        case .plain: (pileBytes, wordScalars) = (0, 0)
        case .unseen: return nil
        case .joined:
            (pileBytes, wordScalars) = (0, wordScalars + 1)
        case .stacked:
            pileBytes += UTF8.width(scalar)
            wordScalars += scalar.isInJoiningScript ? 1 : 0
        }
        if pileBytes > Self.maxPileBytes {
            pileBytes = UTF8.width(scalar)
            return "\u{25CC}"
        }
        if wordScalars > Self.maxWordScalars, kind == .joined {
            wordScalars = 1
            return "\u{200A}"
        }
        return nil
    }
}

extension Unicode.Scalar {
    fileprivate enum DrawnKind {
        /// It ends piles and words.
        case plain
        case unseen
        /// A letter of a script whose words are drawn or divided as a whole.
        case joined
        /// A mark, or a modifier of an emoji.
        case stacked
    }

    fileprivate var drawnKind: DrawnKind {
        // No marks below U+0300, nor among Han and Hangul syllables.
        if value < 0x300 || 0x3400..<0xA000 ~= value || 0xAC00..<0xD7A4 ~= value {
            return value == 0xAD ? .unseen : .plain  // SOFT HYPHEN
        }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return .stacked
        case .format: return .unseen
        case .spaceSeparator: return .plain
        default: return properties.isEmojiModifier ? .stacked : isInJoiningScript ? .joined : .plain
        }
    }

    /// Arabic, Syriac, N'Ko and Mongolian join their letters; Thai, Lao, Myanmar, Khmer and their neighbours put no
    /// spaces between words.
    fileprivate var isInJoiningScript: Bool {
        switch value {
        case 0x600..<0x900, 0xE00..<0xF00, 0x1000..<0x10A0, 0x1780..<0x18B0, 0x1950..<0x1AB0, 0xA9E0..<0xAAE0,
            0xFB50..<0xFE00, 0xFE70..<0xFF00, 0x10D00..<0x10F00, 0x11700..<0x11750, 0x1E900..<0x1E960:
            true
        default: false
        }
    }
}
