import FundCore

/// The JSON of a single item, as `GET` on its path gives it.
extension ItemState {
    func write(to json: inout JSONWriter) {
        switch self {
        case .item(.fund(let fund)): json.field(fund)
        case .item(.folder(let folder)): json.field(folder)
        case .item(.file(let file)): json.field(file)
        case .email(let email): json.field(email)
        case .note(let note): json.field(note)
        }
    }

    /// Strong (RFC 9110 §8.8.3). A digest of this JSON, so it changes with the name, the place and every other member.
    /// The content of a file is another resource with a tag of its own.
    var entityTag: String { EntityTag.text { write(to: &$0) } }

    /// Nil for emails, which have no such time.
    var modifiedAt: Timestamp? {
        switch self {
        case .item(.fund(let fund)): fund.modifiedAt
        case .item(.folder(let folder)): folder.modifiedAt
        case .item(.file(let file)): file.modifiedAt
        case .email: nil
        case .note(let note): note.modifiedAt
        }
    }
}

/// Entity tags of JSON objects.
enum EntityTag {
    /// 128 bits of SHA-256.
    private static let byteCount = 16

    static func text(_ fill: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.object(fill)
        return text(of: json.bytes)
    }

    static func text(of json: [UInt8]) -> String { "\"\(ContentDigest.of(json).hex.prefix(2 * byteCount))\"" }
}
