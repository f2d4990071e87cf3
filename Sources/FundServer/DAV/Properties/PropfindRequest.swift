internal import FundCore
internal import HTTPTypes

/// The properties that a PROPFIND asks for (RFC 4918 §14.20).
enum PropfindRequest: Hashable, Sendable {
    case names
    /// All properties, and those of `include`.
    case all(including: [MarkupName])
    case some([MarkupName])

    /// More than clients ask for. Each takes a line for every item.
    static let maxNames = 256
    /// Bytes of all names with their namespaces, which are repeated for every item: one long namespace for 256 names
    /// would turn a few kilobytes into gigabytes.
    static let maxNameBytes = 16 * 1024

    /// A request without a body asks for all properties (§9.1).
    init(_ root: MarkupElement?) throws {
        guard let root else {
            self = .all(including: [])
            return
        }
        guard root.name == .dav("propfind") else { throw DAVError(.badRequest, "the body is no propfind") }
        let isNames = root.first(.dav("propname")) != nil
        let isAll = root.first(.dav("allprop")) != nil
        let some = root.first(.dav("prop"))
        switch (isNames, isAll, some) {
        case (true, false, nil): self = .names
        case (false, true, nil):
            self = .all(including: try Self.names(in: root.first(.dav("include"))))
        case (false, false, let some?): self = .some(try Self.names(in: some))
        default: throw DAVError(.badRequest, "a propfind asks for one of propname, allprop and prop")
        }
    }

    /// The properties that a report asks for (RFC 3253 §3.6), which may be none.
    init(report root: MarkupElement) throws {
        if root.first(.dav("allprop")) != nil {
            self = .all(including: [])
        } else {
            self = .some(try Self.names(in: root.first(.dav("prop"))))
        }
    }

    private static func names(in element: MarkupElement?) throws -> [MarkupName] {
        var seen: Set<MarkupName> = []
        let names = (element?.elements ?? []).map(\.name).filter { seen.insert($0).inserted }
        let bytes = names.reduce(0) { $0 + $1.namespace.utf8.count + $1.local.utf8.count }
        guard names.count <= maxNames, bytes <= maxNameBytes else {
            throw DAVError(.badRequest, "the body asks for too many properties")
        }
        return names
    }
}
