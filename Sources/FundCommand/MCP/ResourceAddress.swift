import FundClient

/// Address of a resource: `fundmail://file/31`.
enum ResourceAddress: Hashable, Sendable {
    static let scheme = "fundmail"

    case fund(FundID)
    case email(EmailID)
    case note(NoteID)
    case file(FileID)
    case attachment(AttachmentID)

    /// Nil for any other address.
    init?(_ text: String) {
        let prefix = "\(Self.scheme)://"
        let words = text.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard text.hasPrefix(prefix), words.count == 2, let id = Int64(words[1]), id > 0, "\(id)" == words[1] else {
            return nil
        }
        switch words[0] {
        case "fund": self = .fund(FundID(id))
        case "email": self = .email(EmailID(id))
        case "note": self = .note(NoteID(id))
        case "file": self = .file(FileID(id))
        case "attachment": self = .attachment(AttachmentID(id))
        default: return nil
        }
    }

    var text: String {
        let path =
            switch self {
            case .fund(let id): "fund/\(id)"
            case .email(let id): "email/\(id)"
            case .note(let id): "note/\(id)"
            case .file(let id): "file/\(id)"
            case .attachment(let id): "attachment/\(id)"
            }
        return "\(Self.scheme)://\(path)"
    }
}
