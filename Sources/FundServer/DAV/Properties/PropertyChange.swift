internal import FundCore
internal import HTTPTypes

/// One step of a PROPPATCH (RFC 4918 §14.19).
enum PropertyChange: Hashable, Sendable {
    case set(MarkupElement)
    case remove(MarkupName)

    var name: MarkupName {
        switch self {
        case .set(let element): element.name
        case .remove(let name): name
        }
    }

    /// The changes in their order.
    static func changes(in root: MarkupElement) throws -> [PropertyChange] {
        guard root.name == .dav("propertyupdate") else { throw DAVError(.badRequest, "the body is no propertyupdate") }
        let changes = root.elements.flatMap { step -> [PropertyChange] in
            let properties = step.elements.filter { $0.name == .dav("prop") }.flatMap(\.elements)
            switch step.name {
            case .dav("set"): return properties.map { .set($0) }
            case .dav("remove"): return properties.map { .remove($0.name) }
            default: return []  // what is not known is passed over (§17)
            }
        }
        guard !changes.isEmpty else { throw DAVError(.badRequest, "the body changes nothing") }
        return changes
    }
}
