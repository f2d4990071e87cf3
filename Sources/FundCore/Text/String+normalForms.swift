internal import Foundation

/// The normal forms of Unicode (UAX #15), in time that grows with the length of the text only.
///
/// Normalising sorts each run of non-starters (combining marks), and the libraries at hand take quadratic time for it:
/// 64,000 alternating marks took four seconds. Only hostile text holds such runs. All text is brought into the
/// Stream-Safe Text Format first, so that no run is longer than in any language. These are the only normal forms that
/// the program uses: Foundation's own must not be called anywhere else.
extension String {
    /// Normalization Form C: what is equal to a reader has the same scalars.
    package var nfc: String { isASCII ? self : streamSafe.precomposedStringWithCanonicalMapping }

    /// Normalization Form KC: as `nfc`, and without the difference between compatible characters, `Ｆ` and `F`.
    package var nfkc: String { isASCII ? self : streamSafe.precomposedStringWithCompatibilityMapping }

    /// Normalization Form D: every mark apart from its letter.
    package var nfd: String { isASCII ? self : streamSafe.decomposedStringWithCanonicalMapping }

    /// The Stream-Safe Text Format (UAX #15 §13, D4): U+034F, which is invisible, breaks every run of more than 30
    /// non-starters. Text of any language in use stays as it is.
    package var streamSafe: String {
        guard !isStreamSafe else { return self }
        var (result, run) = (String.UnicodeScalarView(), 0)
        for scalar in unicodeScalars {
            run = scalar.isNonStarter ? run + 1 : 0
            if run > Self.maxNonStarters {
                result.append("\u{34F}")
                run = 1
            }
            result.append(scalar)
        }
        return String(result)
    }

    /// True when `streamSafe` is the same text. Other texts take quadratic time to compare and to hash, too.
    package var isStreamSafe: Bool {
        guard !isASCII else { return true }
        var run = 0
        for scalar in unicodeScalars {
            run = scalar.isNonStarter ? run + 1 : 0
            if run > Self.maxNonStarters { return false }
        }
        return true
    }

    private static let maxNonStarters = 30

    /// Whether it has no marks, nor anything else that needs a look at its scalars.
    var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}

extension Unicode.Scalar {
    /// True when its decomposition begins with a combining mark.
    fileprivate var isNonStarter: Bool {
        switch value {
        // No marks below U+0300, nor among Han and Hangul syllables.
        case 0..<0x300, 0x3400..<0xA000, 0xAC00..<0xD7A4: false
        // Starters themselves that decompose to marks (UAX #15 §13).
        case 0xF73, 0xF75, 0xF81, 0xFF9E, 0xFF9F: true
        default: properties.canonicalCombiningClass != .notReordered
        }
    }
}
