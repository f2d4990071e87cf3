internal import FundCore

/// The answer of a WebDAV server about several resources (RFC 4918 §13).
struct MultiStatus {
    /// One resource of it.
    struct Resource {
        /// Address of the resource in the server's spelling.
        var reference: String
        /// Status of the resource as a whole; nil where each property has its own.
        var status: Int?
        /// The properties that it has.
        var properties: [MarkupName: MarkupElement] = [:]

        /// The text of a property; nil when it is missing or empty.
        func text(_ name: MarkupName) -> String? {
            properties[name].map(\.text.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        }

        /// The first reference in a property.
        func reference(_ name: MarkupName) -> String? { properties[name]?.first(.dav("href"))?.text.trimmed }

        /// Whether its type is one of those that `resourcetype` names.
        func isOfType(_ name: MarkupName) -> Bool { properties[.dav("resourcetype")]?.first(name) != nil }
    }

    /// Twice the cards that are read: a list of what changed has those that went, too.
    private static let maxResources = 2 * CardBook.maxCards
    private static let okay = 200

    var resources: [Resource] = []
    /// Whether the answer has more resources than are kept here.
    var isCut = false
    /// The state that the answer leads to (RFC 6578 §6.2).
    var syncToken: String?

    /// Throws `MarkupError` for what is no such answer.
    init(_ body: [UInt8]) throws {
        var (resources, isCut, syncToken) = ([Resource](), false, String?.none)
        let root = try MarkupReader.read(body) { element in
            switch element.name {
            case .dav("response"):
                if resources.count < Self.maxResources {
                    resources.append(Self.resource(element))
                } else {
                    isCut = true
                }
            case .dav("sync-token"): syncToken = element.text.trimmed
            default: break
            }
        }
        guard root.name == .dav("multistatus") else { throw MarkupError(reason: "it is no multistatus") }
        (self.resources, self.isCut, self.syncToken) = (resources, isCut, syncToken)
    }

    private static func resource(_ element: MarkupElement) -> Resource {
        var resource = Resource(reference: element.first(.dav("href"))?.text.trimmed ?? "")
        resource.status = element.first(.dav("status")).flatMap(status)
        for part in element.elements where part.name == .dav("propstat") {
            guard part.first(.dav("status")).flatMap(status) == okay else { continue }
            for property in part.first(.dav("prop"))?.elements ?? [] { resource.properties[property.name] = property }
        }
        return resource
    }

    /// `HTTP/1.1 404 Not Found` (RFC 4918 §14.28).
    private static func status(_ element: MarkupElement) -> Int? {
        element.text.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
    }
}
