internal import FundCore
internal import MailConnection

/// An XML document in an answer. Namespaces do not count: some stores leave them out.
struct AnswerDocument {
    private let element: MarkupElement

    /// Elements of a page of a listing: a thousand objects with up to ten elements each.
    private static let maxElements = 20_000

    /// Nil for bytes that are no such document.
    init?(_ bytes: [UInt8]) {
        guard let root = try? MarkupReader.read(bytes, maxElements: Self.maxElements) else { return nil }
        element = root
    }

    private init(_ element: MarkupElement) { self.element = element }

    var name: String { element.name.local }

    /// The text of the first element of a name; nil where there is none.
    func text(_ name: String) -> String? { element.elements.first { $0.name.local == name }?.text }

    /// The elements of a name, in their order.
    func all(_ name: String) -> [AnswerDocument] {
        element.elements.filter { $0.name.local == name }.map(AnswerDocument.init)
    }

    /// Text between tags (XML 1.0 §2.4).
    static func escaped(_ text: String) -> String {
        text.replacing(scalar: "&", with: "&amp;").replacing(scalar: "<", with: "&lt;")
            .replacing(scalar: ">", with: "&gt;")
    }
}
