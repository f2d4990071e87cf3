internal import FundCore

/// A language of letters. A letter that answers mail is written in the language of that.
enum LetterLanguage: Sendable {
    case en, zh

    /// Bytes of a text that are looked at.
    private static let maxBytes = 4096

    /// The language of a subject: Chinese where it has Han characters and none of Japanese or Korean. Tags do not count
    /// unless there is nothing else, since a fund keeps its name whatever its owner writes.
    ///
    /// - Parameter fund: the name of a fund of the sender, for a subject without any letter; nil for none.
    init(of subject: String?, fund: String?) {
        let subject = subject?.prefix(bytes: Self.maxBytes) ?? ""
        let texts = [SubjectTags.withoutTags(subject), subject, fund ?? ""]
        let text = texts.first { $0.unicodeScalars.contains(where: \.isLetterOrDigit) } ?? ""
        let scripts = text.unicodeScalars.lazy.compactMap(Script.init)
        self = scripts.contains(.han) && !scripts.contains(.other) ? .zh : .en
    }

    /// The language of a letter that answers no mail: the person's, or where that is unknown that of what it tells.
    init(_ language: PersonLanguage?, orOf subject: String?, _ fund: String?) {
        switch language {
        case .en: self = .en
        case .zh: self = .zh
        case nil: self.init(of: subject, fund: fund)
        }
    }

    /// A script that tells the languages of East Asia apart.
    private enum Script {
        case han
        /// Kana or Hangul.
        case other

        init?(_ scalar: Unicode.Scalar) {
            switch scalar.value {
            case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x323AF: self = .han
            case 0x1100...0x11FF, 0x3040...0x30FF, 0x3131...0x318E, 0xAC00...0xD7AF, 0xFF66...0xFFDC: self = .other
            default: return nil
            }
        }
    }

    /// The sentence in this language.
    func callAsFunction(_ english: String, _ chinese: String) -> String { self == .en ? english : chinese }

    /// Names as a list, with the number of those that are left out.
    func list(_ names: [String], more: Int = 0) -> String {
        let list = names.joined(separator: self("; ", "、"))
        return more > 0 ? list + self(" and \(more) more", "等（另有 \(more) 个）") : list
    }
}
