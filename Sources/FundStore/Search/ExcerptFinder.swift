import FundCore

/// Finds the words of a question in a text as the index has them (`SearchWords`), and where they stand in it. The index
/// keeps neither texts nor places.
struct ExcerptFinder {
    /// Words before the first match: it stands at the beginning of the line that is shown.
    private static let maxWordsBefore = 3
    /// Scalars before the first match, of any writing, and of one without spaces.
    private static let maxBefore = 60
    private static let maxUnspacedBefore = 12
    /// Scalars from the beginning of the first match on.
    private static let maxAfter = 200
    /// Limit of scalars by which an excerpt is made shorter, so that it begins and ends between two words.
    private static let maxWord = 24

    private let words: Set<String>
    /// The last word may go on.
    private let prefix: String?
    /// Pairs of characters of languages without spaces.
    private let pairs: Set<ScalarPair>
    private let singles: Set<Unicode.Scalar>

    init(question: String) {
        let ordered = SearchWords(question: question).ordered
        words = Set(ordered.lazy.filter { !$0.isPair && !$0.isSingle }.map(\.text))
        prefix = ordered.last.flatMap { $0.isPair || $0.isSingle ? nil : $0.text }
        pairs = Set(ordered.lazy.filter(\.isPair).compactMap { ScalarPair(Array($0.text.unicodeScalars)) })
        singles = Set(ordered.lazy.filter(\.isSingle).compactMap { $0.text.unicodeScalars.first })
    }

    /// The text around the first match; nil when there is none.
    func excerpt(of text: String) -> [ExcerptPiece]? {
        var matches: [Range<String.Index>] = []
        var end: String.Index?
        var scan = WordScan(text: text)
        while let part = scan.next() {
            if let end, part.range.lowerBound >= end { break }
            matches += self.matches(in: part)
            if end == nil, let first = matches.first {
                end =
                    text.unicodeScalars.index(first.lowerBound, offsetBy: Self.maxAfter, limitedBy: text.endIndex)
                    ?? text.endIndex
            }
        }
        guard let end, let first = matches.first else { return nil }
        return Window(text: text, around: matches, first, to: end).pieces(marking: matches)
    }

    /// The beginning of a text, as long as an excerpt, with nothing marked.
    func beginning(of text: String) -> [ExcerptPiece] {
        let end = text.unicodeScalars.index(text.startIndex, offsetBy: Self.maxAfter, limitedBy: text.endIndex)
        let first = text.startIndex..<text.startIndex
        return Window(text: text, around: [], first, to: end ?? text.endIndex).pieces(marking: [])
    }

    private func matches(in part: WordScan.Part) -> [Range<String.Index>] {
        switch part.content {
        case .word(let word):
            let isMatch = words.contains(word) || prefix.map { word.utf8.starts(with: $0.utf8) } ?? false
            return isMatch ? [part.range] : []
        case .run(let run):
            var found: [Range<String.Index>] = []
            for (index, item) in run.enumerated() {
                if singles.contains(item.scalar) { found.append(item.range) }
                if index + 1 < run.count, pairs.contains(ScalarPair(item.scalar, run[index + 1].scalar)) {
                    found.append(item.range.lowerBound..<run[index + 1].range.upperBound)
                }
            }
            return found
        }
    }

    private struct Window {
        let text: String
        let range: Range<String.Index>

        /// - Parameters:
        ///   - first: the first match, or the place at which the window begins.
        ///   - end: limit of what is shown.
        init(text: String, around matches: [Range<String.Index>], _ first: Range<String.Index>, to end: String.Index) {
            self.text = text
            let lower = Self.start(before: first.lowerBound, in: text.unicodeScalars)
            let upper = Self.end(behind: first, from: lower, to: end, in: text.unicodeScalars)
            // A word that was found is shown whole or not at all.
            let cut = matches.dropFirst().first { $0.lowerBound < upper && $0.upperBound > upper }
            range = lower..<(cut.map { max($0.lowerBound, first.upperBound) } ?? upper)
        }

        /// The place from which on few words stand before a match, with the space before them.
        private static func start(before match: String.Index, in scalars: String.UnicodeScalarView) -> String.Index {
            var (place, space) = (match, String.Index?.none)
            var (count, words, unspaced) = (0, 0, 0)
            while place > scalars.startIndex, count < maxBefore {
                let previous = scalars.index(before: place)
                let scalar = scalars[previous]
                let isSpace = scalar.properties.isWhitespace
                if isSpace, place == match || !scalars[place].properties.isWhitespace {
                    (space, words) = (previous, words + (place == match ? 0 : 1))
                    if words == maxWordsBefore { return previous }
                }
                unspaced += SearchWords.kind(of: scalar) == .unspaced ? 1 : 0
                if unspaced > maxUnspacedBefore { break }
                (place, count) = (previous, count + 1)
            }
            if place == scalars.startIndex { return place }
            guard unspaced > maxUnspacedBefore else { return space ?? match }
            // A mark must not stand without its letter.
            return scalars[place..<match].firstIndex { $0.properties.canonicalCombiningClass == .notReordered } ?? match
        }

        private static func end(
            behind match: Range<String.Index>, from lower: String.Index, to end: String.Index,
            in scalars: String.UnicodeScalarView
        ) -> String.Index {
            guard end < scalars.endIndex else { return end }
            var upper = end
            let near = scalars[lower..<end].suffix(maxWord)
            if let space = near.lastIndex(where: { $0.properties.isWhitespace }), space >= match.upperBound {
                upper = space
            }
            while upper > lower, scalars[upper].properties.canonicalCombiningClass != .notReordered {
                upper = scalars.index(before: upper)
            }
            return upper
        }

        func pieces(marking matches: [Range<String.Index>]) -> [ExcerptPiece] {
            var pieces: [ExcerptPiece] = []
            var position = range.lowerBound
            if position > text.startIndex { pieces.append(ExcerptPiece("…")) }
            for match in matches where match.upperBound > position && match.lowerBound < range.upperBound {
                let start = max(match.lowerBound, position)
                add(position..<start, isMatch: false, to: &pieces)
                add(start..<min(match.upperBound, range.upperBound), isMatch: true, to: &pieces)
                position = min(match.upperBound, range.upperBound)
            }
            add(position..<range.upperBound, isMatch: false, to: &pieces)
            if range.upperBound < text.endIndex { Self.add("…", isMatch: false, to: &pieces) }
            if let last = pieces.last, last.text.unicodeScalars.last == " " {
                pieces[pieces.count - 1].text.unicodeScalars.removeLast()
                if last.text.unicodeScalars.count == 1 { pieces.removeLast() }
            }
            return pieces
        }

        /// Adds a part on one line, with white space as one blank.
        private func add(_ part: Range<String.Index>, isMatch: Bool, to pieces: inout [ExcerptPiece]) {
            guard !part.isEmpty else { return }
            var clean = ""
            var isSpaced = pieces.isEmpty || pieces.last?.text.unicodeScalars.last == " "
            for scalar in String(text[part]).label.unicodeScalars {
                let isSpace = scalar == " " || scalar == "\u{A0}"
                if !isSpace { clean.unicodeScalars.append(scalar) } else if !isSpaced { clean += " " }
                isSpaced = isSpace
            }
            if !clean.isEmpty { Self.add(clean, isMatch: isMatch, to: &pieces) }
        }

        /// Pieces of one kind beside each other are one.
        private static func add(_ text: String, isMatch: Bool, to pieces: inout [ExcerptPiece]) {
            if let last = pieces.last, last.isMatch == isMatch {
                pieces[pieces.count - 1].text += text
            } else {
                pieces.append(ExcerptPiece(text, isMatch: isMatch))
            }
        }
    }
}

private struct ScalarPair: Hashable {
    private let first: Unicode.Scalar
    private let second: Unicode.Scalar

    init(_ first: Unicode.Scalar, _ second: Unicode.Scalar) { (self.first, self.second) = (first, second) }

    init?(_ scalars: [Unicode.Scalar]) {
        guard scalars.count == 2 else { return nil }
        self.init(scalars[0], scalars[1])
    }
}

/// Takes a text apart as `SearchWords` does, one part after the other, with the place of each.
private struct WordScan {
    /// A word, or a run of characters of a language without spaces.
    struct Part {
        enum Content {
            /// In the form of the index.
            case word(String)
            case run([Item])
        }

        var content: Content
        var range: Range<String.Index>
    }

    /// A scalar of the normal form, and what stands for it in the text.
    struct Item {
        var scalar: Unicode.Scalar
        var range: Range<String.Index>
    }

    /// Longer stretches without a separator are taken apart piecewise.
    private static let maxStretch = 1024

    private let text: String
    private var position: String.Index
    /// Parts of the last stretch, latest first.
    private var parts: [Part] = []

    init(text: String) {
        self.text = text
        position = text.startIndex
    }

    mutating func next() -> Part? {
        while parts.isEmpty {
            guard position < text.endIndex else { return nil }
            takeStretch()
        }
        return parts.popLast()
    }

    /// Normal forms change nothing across a separator of ASCII, so a stretch between two of them is taken by itself.
    private mutating func takeStretch() {
        let scalars = text.unicodeScalars
        while position < text.endIndex, Self.isSeparator(scalars[position]) { scalars.formIndex(after: &position) }
        let start = position
        var (count, isASCII, isPlain) = (0, true, true)
        while position < text.endIndex {
            let scalar = scalars[position]
            // Not between a letter and its marks, if it can be helped.
            let isFull = count >= Self.maxStretch && (Self.isPlain(scalar) || count >= 4 * Self.maxStretch)
            if isFull || Self.isSeparator(scalar) { break }
            isASCII = isASCII && scalar.isASCII
            isPlain = isPlain && Self.isPlain(scalar)
            count += 1
            scalars.formIndex(after: &position)
        }
        let range = start..<position
        guard !range.isEmpty else { return }
        if isASCII {
            let bytes = text.utf8[range].prefix(SearchWords.maxBytes).map(ASCII.lowercased)
            parts = [Part(content: .word(String(decoding: bytes, as: UTF8.self)), range: range)]
        } else {
            parts = Self.parts(isPlain ? plainItems(range) : composedItems(range)).reversed()
        }
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 48...57, 65...90, 97...122: false
        case 0..<128: true
        // Spaces, commas, stops and brackets of Chinese and Japanese; their normal forms are separators, too.
        case 0x3000...0x3003, 0x3008...0x3011, 0xFF01, 0xFF08, 0xFF09, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F: true
        default: false
        }
    }

    /// Whether the normal form of a scalar is itself, whatever plain one stands beside it.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<128, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    private func plainItems(_ range: Range<String.Index>) -> [Item] {
        let scalars = text.unicodeScalars
        return scalars[range].indices.map { Item(scalar: scalars[$0], range: $0..<scalars.index(after: $0)) }
    }

    /// Items of a stretch by characters as a reader sees them: their scalars make the normal form together.
    private func composedItems(_ range: Range<String.Index>) -> [Item] {
        let stretch = text[range]
        var items: [Item] = []
        var start = stretch.startIndex
        while start < stretch.endIndex {
            let end = stretch.index(after: start)
            for scalar in String(stretch[start..<end]).nfkc.nfc.unicodeScalars {
                items.append(Item(scalar: scalar, range: start..<end))
            }
            start = end
        }
        return items
    }

    private static func parts(_ items: [Item]) -> [Part] {
        var (parts, word, run): ([Part], [Item], [Item]) = ([], [], [])
        func flush(_ items: inout [Item], _ content: ([Item]) -> Part.Content) {
            if let first = items.first, let last = items.last {
                parts.append(
                    Part(content: content(items), range: first.range.lowerBound..<last.range.upperBound))
            }
            items = []
        }
        func folded(_ items: [Item]) -> Part.Content {
            var text = String.UnicodeScalarView()
            text.append(contentsOf: items.prefix(SearchWords.maxScalars).map(\.scalar))
            return .word(SearchWords.folded(String(text)))
        }
        for item in items {
            switch SearchWords.kind(of: item.scalar) {
            case .letter:
                flush(&run) { .run($0) }
                word.append(item)
            case .unspaced:
                flush(&word, folded)
                run.append(item)
            case .separator:
                flush(&word, folded)
                flush(&run) { .run($0) }
            }
        }
        flush(&word, folded)
        flush(&run) { .run($0) }
        return parts
    }
}
