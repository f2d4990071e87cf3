internal import FundHTTP
internal import Foundation
internal import FundCore

/// Seals what pages carry for people whose session has ended: who writes, and what they wrote. A page gives back
/// nothing else of what comes without a session. Sealed text is a third longer than the text, whatever that is.
struct DraftSeal: Sendable {
    /// Characters of a sealed writer.
    private static let maxWriterLength = 128
    private static let writerContext = Array("writer".utf8)
    private static let draftContext = Array("draft".utf8)
    private static let letterKind = "letter"
    /// Bytes of a sealed form, as base64, and of the fields before its text.
    static let maxSealedBytes = (PageDraft.maxFormBytes + 1024) / 3 * 4

    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail page drafts") }

    /// The `writer` of an editor: says who wrote its text, without telling it. Another text each time.
    func writer(_ user: User.ID) -> String {
        let sealed = try? seal.seal(Array("\(user)".utf8), in: Self.writerContext)
        return sealed.map { Base64.urlText($0) } ?? ""
    }

    /// The user of a `writer`; nil for text that is none of this server.
    func user(ofWriter text: String) -> User.ID? {
        guard text.utf8.count <= Self.maxWriterLength, let bytes = Base64.bytes(url: text),
            let plain = seal.open(bytes, in: Self.writerContext)
        else { return nil }
        return QueryText.number(Substring(decoding: plain, as: UTF8.self)).map { User.ID($0) }
    }

    /// The draft of this user, for a hidden field.
    func sealed(_ draft: PageDraft, of user: User.ID) throws -> String {
        let text: String
        switch draft {
        case .note(let note):
            let (kind, id) =
                switch note.place {
                case .new(let fund): ("new", "\(fund)")
                case .note(let note): ("note", "\(note)")
                }
            let since = note.since.map { "\($0)" } ?? ""
            text =
                "\(user) \(kind) \(id) \(since) \(note.text.title.utf8.count)\n" + note.text.title + note.text.content
        case .letter(let letter):
            let fields = Dictionary(uniqueKeysWithValues: letter.fields.map { ($0.name, $0.value) })
            let form = String(decoding: try JSONEncoder().encode(fields), as: UTF8.self)
            text = "\(user) \(Self.letterKind) 0  0\n\(form)"
        }
        return Base64.urlText(try seal.seal(Array(text.utf8), in: Self.draftContext))
    }

    /// The draft in a sealed text, and its writer; nil for text that this server did not seal.
    func draft(_ text: String?) -> (draft: PageDraft, writer: User.ID)? {
        guard let text, text.utf8.count <= Self.maxSealedBytes, let bytes = Base64.bytes(url: text),
            let plain = seal.open(bytes, in: Self.draftContext), let lineEnd = plain.firstIndex(of: .lf)
        else { return nil }
        let head = plain[..<lineEnd].split(separator: .space, omittingEmptySubsequences: false)
            .map { Substring(decoding: $0, as: UTF8.self) }
        let body = plain[(lineEnd + 1)...]
        guard head.count == 5, let user = QueryText.number(head[0]), let id = QueryText.number(head[2]),
            let titleLength = Int(head[4]), titleLength <= body.count
        else { return nil }
        guard head[1] != Self.letterKind else {
            guard let form = try? FieldText(json: Array(body)), let letter = try? LetterDraft(form: form) else {
                return nil
            }
            return (.letter(letter), User.ID(user))
        }
        let note = NoteText(
            title: String(decoding: body.prefix(titleLength), as: UTF8.self),
            content: String(decoding: body.dropFirst(titleLength), as: UTF8.self))
        let place: NoteDraft.Place = head[1] == "new" ? .new(Fund.ID(id)) : .note(NoteEntry.ID(id))
        let since = QueryText.number(head[3]).map { Timestamp($0) }
        return (.note(NoteDraft(place, note, since: since)), User.ID(user))
    }
}
