import FundCore

/// Takes text apart into the words under which it is found.
///
/// Chinese, Japanese, Korean and Thai write no spaces, or none that help. A run of their characters becomes its
/// overlapping pairs, and its last character alone: a word of two or more characters is found by its pairs, a single
/// character as the beginning of a pair. SQLite's trigram tokenizer would need three characters, and most Chinese words
/// have two. All other words are compared without case, marks and compatibility forms: `Müller` is `muller`, `Straße`
/// is `strasse`, `Q３` is `q3`.
///
/// All of this is done here and not by `unicode61`, whose tables are as old as the SQLite at hand: what that takes for
/// a separator would break a word in two, which an index without positions cannot hold together. The `ascii` tokenizer,
/// which only splits at ASCII, leaves these words as they are.
struct SearchWords {
    /// Longer words are cut: they come from pasted keys and links, and are not searched for.
    static let maxBytes = 48
    /// Scalars of a word that are looked at: marks, which are left out, may stand between its first letters.
    static let maxScalars = 256
    /// The rest of a longer question is ignored.
    private static let maxQuestionBytes = 4000

    private(set) var words: Set<String> = []
    /// The words in the order in which they came; only for questions.
    private(set) var ordered: [Word] = []
    private let maxWords: Int
    private let keepsOrder: Bool

    struct Word: Hashable {
        var text: String
        /// A single character of a language without spaces: found as a prefix.
        var isSingle = false
        /// Part of a run of such characters.
        var isPair = false
    }

    /// Without order, for documents.
    init(maxWords: Int) {
        self.maxWords = maxWords
        keepsOrder = false
    }

    /// The words of a question, with the first few of a very long one.
    init(question: String) {
        maxWords = 16
        keepsOrder = true
        add(question.prefix(bytes: Self.maxQuestionBytes))
    }

    private var isFull: Bool { (keepsOrder ? ordered.count : words.count) >= maxWords }

    mutating func add(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 128 }) { return addASCII(text) }
        var (word, run): (String.UnicodeScalarView, [Unicode.Scalar]) = (.init(), [])
        // Twice: Foundation leaves a half-width voiced kana in two parts.
        let composed = text.nfkc.nfc
        for scalar in composed.unicodeScalars {
            if isFull { return }
            switch Self.kind(of: scalar) {
            case .letter:
                if !run.isEmpty { flush(&run) }
                word.append(scalar)
            case .unspaced:
                if !word.isEmpty { flush(&word) }
                run.append(scalar)
            case .separator:
                if !word.isEmpty { flush(&word) }
                if !run.isEmpty { flush(&run) }
            }
        }
        if !word.isEmpty { flush(&word) }
        if !run.isEmpty { flush(&run) }
    }

    private mutating func addASCII(_ text: String) {
        var word: [UInt8] = []
        for byte in text.utf8 {
            if ASCII.isAlphanumeric(byte) {
                word.append(ASCII.lowercased(byte))
            } else if !word.isEmpty {
                insert(Word(text: String(decoding: word.prefix(Self.maxBytes), as: UTF8.self)))
                word.removeAll(keepingCapacity: true)
                if isFull { return }
            }
        }
        if !word.isEmpty { insert(Word(text: String(decoding: word.prefix(Self.maxBytes), as: UTF8.self))) }
    }

    private mutating func insert(_ word: Word) {
        guard !isFull else { return }
        if keepsOrder { ordered.append(word) } else { words.insert(word.text) }
    }

    private mutating func flush(_ word: inout String.UnicodeScalarView) {
        let folded = Self.folded(String(word.prefix(Self.maxScalars)))
        word = .init()
        if !folded.isEmpty { insert(Word(text: folded)) }
    }

    private mutating func flush(_ run: inout [Unicode.Scalar]) {
        for (first, second) in zip(run, run.dropFirst()) {
            insert(Word(text: "\(first)\(second)", isPair: true))
        }
        if let last = run.last, !keepsOrder || run.count == 1 { insert(Word(text: String(last), isSingle: true)) }
        run.removeAll(keepingCapacity: true)
    }

    // MARK: Characters

    enum Kind {
        case letter, unspaced, separator
    }

    static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 48...57, 65...90, 97...122: return .letter
        case 0..<128: return .separator
        // Thai, Lao, Tibetan, Myanmar, Khmer; Hangul, kana, Han with its extensions.
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x1100...0x11FF, 0x3005...0x3007, 0x3040...0x30FA,
            0x30FC...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7FF,
            0xF900...0xFAFF, 0x20000...0x3FFFF:
            return .unspaced
        default:
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
                return .letter
            default: return .separator
            }
        }
    }

    /// A word without case and marks.
    static func folded(_ word: String) -> String {
        var result = ""
        for scalar in word.nfd.unicodeScalars {
            if scalar.properties.generalCategory != .nonspacingMark { result += scalar.caseFolded }
            if result.utf8.count >= maxBytes { break }
        }
        return result
    }
}
