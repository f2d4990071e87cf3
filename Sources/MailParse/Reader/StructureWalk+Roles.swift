import CGMime
import FundCore

/// Role of a part in the multipart around it.
enum PartRole {
    case part
    /// One form of a text that has several (RFC 2046 §5.1.4).
    case alternative
    /// The part that shows the others (RFC 2387 §3.2).
    case root
    /// The bytes of a file of a Macintosh, with the name that stands in another part (RFC 1740 §5).
    case dataFork(name: String?)

    /// Whether a text in this role is the body of the mail, whatever file name it has.
    var isBody: Bool {
        switch self {
        case .alternative, .root: true
        case .part, .dataFork: false
        }
    }
}

extension StructureWalk {
    /// The roles of the parts of a multipart; nil for one that is left out.
    mutating func roles(
        of children: [UnsafeMutablePointer<GMimeObject>], in item: Item, _ fields: PartFields
    ) throws(ReadError) -> [PartRole?] {
        var roles = [PartRole?](repeating: .part, count: children.count)
        switch fields.contentType {
        case "multipart/alternative": roles = roles.map { _ in .alternative }
        case "multipart/related": if !roles.isEmpty { roles[root(of: children, fields)] = .root }
        case "multipart/appledouble":
            if let fork = try dataFork(of: children, in: item, fields) {
                for index in roles.indices { roles[index] = index == fork.index ? .dataFork(name: fork.name) : nil }
            }
        default: break
        }
        return roles
    }

    /// The part that `start` names by its Content-ID, else the first (RFC 2387 §3.2).
    private func root(of children: [UnsafeMutablePointer<GMimeObject>], _ fields: PartFields) -> Int {
        guard let start = fields.typeParameters["start"]?.filter({ $0 != "<" && $0 != ">" }) else { return 0 }
        return children.firstIndex { PartFields($0, charsets: charsets).contentID == start } ?? 0
    }
}
