/// The origin of a message, as its record in the log says it, so that rows can be made anew of records alone.
///
/// A mailbox and a place in it are `name/place`. A file is `vouched:path` or `file:path`: no mailbox has a colon in its
/// name. Older records have the path alone, which may be that of a mailbox as well.
package enum RecordOrigin: Sendable, Hashable {
    /// A file for whose sender an administrator vouched.
    case vouchedFile(path: String)
    /// A file that was believed only as some mailbox is.
    case file(path: String)
    /// A place in a mailbox, or a path in an older record.
    case other(String)

    private static let (vouched, plain) = ("vouched:", "file:")

    /// - Parameter trust: the policy that decided about the message.
    package init(_ reference: SourceReference, trust: TrustPolicy) {
        guard reference.mailbox == nil else {
            self = .other(reference.text)
            return
        }
        self = trust == .vouched ? .vouchedFile(path: reference.place) : .file(path: reference.place)
    }

    /// Reads what a record says.
    package init(_ text: String) {
        if text.hasPrefix(Self.vouched) {
            self = .vouchedFile(path: String(text.dropFirst(Self.vouched.count)))
        } else if text.hasPrefix(Self.plain) {
            self = .file(path: String(text.dropFirst(Self.plain.count)))
        } else {
            self = .other(text)
        }
    }

    /// The text that a record keeps.
    package var text: String {
        switch self {
        case .vouchedFile(let path): Self.vouched + path
        case .file(let path): Self.plain + path
        case .other(let text): text
        }
    }
}
