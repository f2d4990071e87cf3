internal import FundCore
internal import HTTPTypes

/// The condition of a search in an address book (RFC 6352 §10.5). Texts are compared without regard to case, byte by
/// byte once both are folded.
struct CardFilter: Sendable {
    private struct TextMatch: Sendable {
        /// Folded.
        var text: [UInt8]
        var type: String
        var isNegated: Bool

        /// - Parameter value: folded.
        func admits(_ value: [UInt8]) -> Bool {
            let isMatch =
                switch type {
                case "equals": value == text
                case "starts-with": value.starts(with: text)
                case "ends-with": value.suffix(text.count) == text[...]
                default: text.isEmpty || ASCII.firstIndex(of: text, in: value) != nil
                }
            return isMatch != isNegated
        }
    }

    private struct PropertyFilter: Sendable {
        var name: String
        var isUndefined: Bool
        var needsAll: Bool
        var matches: [TextMatch]

        func admits(_ card: DeviceCard) -> Bool {
            let values = CardFilter.values(name, of: card)
            if isUndefined { return values.isEmpty }
            guard !matches.isEmpty else { return !values.isEmpty }
            let folded = values.map(CardFilter.folded)
            func isMet(_ match: TextMatch) -> Bool {
                match.isNegated ? folded.allSatisfy(match.admits) : folded.contains(where: match.admits)
            }
            return needsAll ? matches.allSatisfy(isMet) : matches.contains(where: isMet)
        }
    }

    private var needsAll: Bool
    private var properties: [PropertyFilter]

    /// Filters of one request, and texts of all of them: clients send one for each property that they search.
    private static let maxFilters = 32
    /// Bytes of a text that is looked for.
    private static let maxTextBytes = 1024

    private static func folded(_ text: String) -> [UInt8] { Array(text.nfc.caseFolded.utf8) }

    /// Nil admits all. Throws 403 for a filter by parameters, and 400 for too much.
    init(_ element: MarkupElement?) throws {
        needsAll = Self.attribute("test", element) == "allof"
        let filters = (element?.elements ?? []).filter { $0.name == CardProperties.card("prop-filter") }
        let texts = filters.flatMap(\.elements).filter { $0.name == CardProperties.card("text-match") }
        guard filters.count <= Self.maxFilters, texts.count <= Self.maxFilters,
            texts.allSatisfy({ $0.text.utf8.count <= Self.maxTextBytes })
        else { throw DAVError(.badRequest, "the filter has too many parts, or too long texts") }
        properties = try filters.map { filter in
            let parts = filter.elements
            guard !parts.contains(where: { $0.name == CardProperties.card("param-filter") }) else {
                throw CardError(.forbidden, "C:supported-filter")
            }
            return PropertyFilter(
                name: (Self.attribute("name", filter) ?? "").uppercased(),
                isUndefined: parts.contains { $0.name == CardProperties.card("is-not-defined") },
                needsAll: Self.attribute("test", filter) == "allof",
                matches: parts.filter { $0.name == CardProperties.card("text-match") }.map {
                    TextMatch(
                        text: Self.folded($0.text), type: Self.attribute("match-type", $0) ?? "contains",
                        isNegated: Self.attribute("negate-condition", $0) == "yes")
                })
        }
    }

    private static func attribute(_ name: String, _ element: MarkupElement?) -> String? {
        element?.attributes.first { $0.name.local == name }?.value
    }

    func admits(_ card: DeviceCard) -> Bool {
        guard !properties.isEmpty else { return true }
        return needsAll ? properties.allSatisfy { $0.admits(card) } : properties.contains { $0.admits(card) }
    }

    /// The values of a property, as `VCardWriter` writes it.
    private static func values(_ name: String, of card: DeviceCard) -> [String] {
        let contact = card.card
        let values: [String] =
            switch name {
            case "FN", "N": [contact.name]
            case "EMAIL": contact.addresses.map(\.value)
            case "TEL": contact.phones.map(\.value)
            case "ORG": [contact.organisation, contact.department]
            case "TITLE": [contact.title]
            case "NOTE": [contact.note]
            case "CATEGORIES": contact.groups
            case "UID": [card.uid]
            default: []
            }
        return values.filter { !$0.isEmpty }
    }
}
