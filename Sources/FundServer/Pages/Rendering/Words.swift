internal import FundHTTP
internal import FundCore

/// The words of the pages in one language, from `words.tsv`: a key, then the text in each language.
struct Words: Sendable {
    static var table: [String: [String]] {
        #if DEBUG
            if let words = PageFolder.words { return words }
        #endif
        return embedded
    }

    static let file = "Pages/words.tsv"
    private static let embedded = table(of: EmbeddedFiles.bytes(file))

    static func table(of source: [UInt8]) -> [String: [String]] {
        let lines = String(decoding: source, as: UTF8.self).split(separator: "\n")
        let rows = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Array($0.dropFirst())) })
    }

    let language: Language

    /// A piece of a text of the table: words, or the place of a value.
    enum Piece: Equatable {
        case text(String)
        /// Number of the value, from 0.
        case value(Int)
    }

    /// The text of a key, with the values where it says `{0}`, `{1}` … The key itself when there is none, which a test
    /// forbids.
    func callAsFunction(_ key: String, _ values: String...) -> String {
        pieces(key).reduce(into: "") { text, piece in
            switch piece {
            case .text(let words): text += words
            case .value(let index): if values.indices.contains(index) { text += values[index] }
            }
        }
    }

    /// The text of a key; nil where the table has none in this language, which a test forbids.
    private func text(_ key: String) -> String? {
        guard let texts = Self.table[key], texts.indices.contains(language.column) else { return nil }
        return texts[language.column]
    }

    /// The text of a key, taken apart where values stand: for sentences whose values are more than text.
    func pieces(_ key: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = (text(key) ?? key)[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            if let index = Int(rest[rest.index(after: open)..<close]) { pieces.append(.value(index)) }
            rest = rest[rest.index(after: close)...]
        }
        return rest.isEmpty ? pieces : pieces + [.text(String(rest))]
    }

    /// Words for something that programs name, `doctor.of.store`; the name itself where there are none.
    func name(_ name: String, in kind: String) -> String {
        Self.table["\(kind).\(name)"] == nil ? name : self("\(kind).\(name)")
    }

    /// Limit of a subject, a title or a sender in rows and in the names of pages, in bytes. A longer one is read where
    /// its mail or note is opened.
    private static let maxShownBytes = 500

    /// A text of others for a row, cut at the limit.
    static func shown(_ text: String) -> String {
        text.utf8.count > maxShownBytes ? text.prefix(bytes: maxShownBytes) + "…" : text
    }

    /// Subject of a mail as it came; words in its place when there is none or it is empty.
    func wholeSubject(_ text: String?) -> String { text.flatMap { $0.isEmpty ? nil : $0 } ?? self("mail.nosubject") }

    /// Subject of a mail for a row.
    func subject(_ text: String?) -> String { Self.shown(wholeSubject(text)) }

    /// Sender of a mail for a row: by name, else by address.
    func sender(_ name: String?, _ address: String?) -> String { Self.shown(name ?? address ?? self("mail.nosender")) }

    /// The subject of a mail in a list of the fund that it names: without the tag at its beginning.
    func subject(_ text: String?, in fund: FundEntry?) -> String {
        subject(text, withoutTagOf: fund.map { [$0.name] + $0.aliases } ?? [])
    }

    /// The subject of a mail beside the name of its fund: without the tag at its beginning that is one of these names.
    func subject(_ text: String?, withoutTagOf names: [String]) -> String {
        let whole = subject(text)
        guard whole.utf8.first == UInt8(ascii: "[") else { return whole }
        // Comparing characters is quadratic in runs of combining marks.
        let text = whole.streamSafe
        guard text.first == "[", let close = text.firstIndex(of: "]") else { return whole }
        let tag = text[text.index(after: text.startIndex)..<close].trimmed.nfc.caseFolded
        guard names.contains(where: { $0.nfc.caseFolded == tag }) else { return whole }
        let rest = text[text.index(after: close)...].trimmed
        return rest.isEmpty ? whole : rest
    }

    /// Title of an item for a row; words in its place when it is empty, as of mail and notes it may be.
    func title(_ text: String, of kind: ItemKind) -> String {
        text.isEmpty ? self(kind == .email ? "mail.nosubject" : "note.untitled") : Self.shown(text)
    }

    /// `files.one` or `files.many`.
    func count(_ key: String, _ number: Int) -> String {
        self(number == 1 ? "\(key).one" : "\(key).many", String(number))
    }

    /// The sentence of a page after an act, named by `?done=`; nil for other words.
    func outcome(_ word: String) -> String? {
        guard word.isShortWord, word.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }) else {
            return nil
        }
        return text("done.\(word)")
    }
}

extension Words {
    /// The sentence for an error: the table's words for what is wrong, else for its code, and behind them what only its
    /// own text says.
    func sentence(_ failure: RequestError) -> String {
        if let problem = failure.problem {
            return failure.problemValue.map { self("problem.\(problem)", Self.shown($0)) } ?? self("problem.\(problem)")
        }
        if let reason = failure.reason { return self("preview.\(reason)") }
        let words = self("error.\(failure.code)")
        guard failure.code == "invalid" || Self.table["error.\(failure.code)"] == nil else { return words }
        return language == .en ? failure.sentence : "\(self("error.invalid")) (\(failure.sentence))"
    }

    /// A step of the routing. A fact that is told in English alone stands behind words of the reader's language.
    func sentence(_ step: RoutingStep) -> String {
        guard language != .en, case .prose(let text) = step.fact else { return sentence(step.fact) }
        return self("step.say.\(step.about.rawValue).\(step.verdict.rawValue)", "\u{2068}\(text)\u{2069}")
    }

    /// A fact about a subject, see `RoutingFact.text`.
    func sentence(_ fact: RoutingFact) -> String {
        func list(_ names: [String]) -> String {
            RoutingFact.list(names, separator: language == .en ? ", " : "、") ?? self("step.nofund")
        }
        return switch fact {
        case .subject(let subject): self("step.subject", Self.shown(subject))
        case .ignoredTag(let tag): self("step.ignored", tag)
        case .noTag: self("step.notag")
        case .unknownTag(let tag, let funds): self("step.unknown", tag, list(funds))
        case .furtherTags(let number): count("step.further", number)
        case .ambiguousTag(let tag, let funds): self("step.ambiguous", tag, list(funds))
        case .knownTag(let tag, let fund, let owner, let isAlias):
            self(isAlias ? "step.alias" : "step.known", tag, fund, owner)
        case .decision(let outcome, let reason, let fund):
            if let fund, outcome == .filed {
                self("step.filed", fund)
            } else if let reason {
                self("step.held", self("outcome.\(outcome.rawValue)"), self("reason.\(reason.rawValue)"))
            } else {
                self("outcome.\(outcome.rawValue)")
            }
        case .doubt(let doubt): sentence(doubt)
        case .prose(let text): text
        }
    }
}
