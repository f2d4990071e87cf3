internal import FundHTTP
internal import FundCore

/// A letter that is being written: the fields of its form, as they were sent.
struct LetterDraft: Sendable {
    /// Page of a new letter; also where its form is sent.
    static let path = "/library/send"
    private static let keyBytes = LetterPolicy.keyDigits / 2

    var to = ""
    var cc = ""
    var subject = ""
    var text = ""
    var items = ItemSelection(items: [])
    var way = NewLetter.Way.automatic
    /// Whether the writer gets a copy.
    var copiesWriter = false
    /// The email that it answers.
    var answered: EmailSummary.ID?
    /// The fund from which it was begun.
    var fund: Fund.ID?
    /// Path of the page from which one came.
    var back: String?
    /// See `NewLetter.key`: the letter has it from its first page on.
    var key: String

    init() { key = Hex.text(RandomBytes.make(Self.keyBytes)) }

    /// The letter in a form. Throws 400 for one with too many items.
    init(form: FieldText) throws {
        self.init()
        if let key = form["key"], Self.isKey(key) { self.key = key }
        (to, cc, subject) = (form["to"] ?? "", form["cc"] ?? "", form["subject"] ?? "")
        // A browser sends line ends as CR LF.
        text = (form["text"] ?? "").withLineFeeds
        items = try ItemSelection(form: form)
        way = form["way"].flatMap(NewLetter.Way.init(word:)) ?? .automatic
        copiesWriter = form["copy"] != nil
        answered = Self.id(form["reply"])
        fund = Self.id(form["fund"])
        back = form["back"]
    }

    private static func id<Entity>(_ text: String?) -> ID<Entity>? {
        text.flatMap { QueryText.number($0) }.flatMap { $0 > 0 ? ID($0) : nil }
    }

    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == LetterPolicy.keyDigits && Hex.bytes(text.utf8).map { Hex.text($0) } == text
    }

    /// The fields of a form that has all of it.
    var fields: [(name: String, value: String?)] {
        [
            ("key", key), ("to", to), ("cc", cc), ("subject", subject), ("text", text), ("way", way.rawValue),
            ("copy", copiesWriter ? "1" : nil), ("reply", answered?.description), ("fund", fund?.description),
            ("back", back),
        ] + items.fields.map { ($0.name, $0.value) }
    }

    /// The page on which such a letter is begun, without what was written.
    var address: String {
        let shown = items.fitsAddress ? items.fields.map { ($0.name, $0.value as String?) } : []
        return Self.path
            + PageQueryText.text(
                [("reply", answered?.description), ("fund", fund?.description)] + shown)
    }
}

extension String {
    /// The text with its line ends as LF, by bytes: characters of strangers may be long.
    var withLineFeeds: String {
        var (bytes, last): ([UInt8], UInt8) = ([], 0)
        bytes.reserveCapacity(utf8.count)
        for byte in utf8 {
            if byte != .lf || last != .cr { bytes.append(byte == .cr ? .lf : byte) }
            last = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
