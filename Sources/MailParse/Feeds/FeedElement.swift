import FundCore

/// An element of a feed, with what is in it. The reference is never shared between threads.
final class FeedElement {
    enum Node {
        case element(FeedElement)
        case text(String)
    }

    /// Name in lower case, with the usual prefix of its namespace (`dc:creator`), and without one in the namespaces of
    /// feeds themselves.
    let name: String
    /// In lower case, with prefixes as they came.
    let attributes: [String: String]
    /// Address against which references in it are resolved; nil for none.
    let base: String?
    var nodes: [Node] = []

    init(name: String, attributes: [String: String] = [:], base: String? = nil) {
        self.name = name
        self.attributes = attributes
        self.base = base
    }

    var children: [FeedElement] {
        nodes.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Name without a prefix.
    var localName: Substring { name.split(separator: ":", maxSplits: 1).last ?? name[...] }

    /// The first child that has one of these names; names that stand first are preferred.
    func child(_ names: String...) -> FeedElement? {
        for name in names {
            if let found = children.first(where: { $0.name == name }) { return found }
        }
        return nil
    }

    func children(_ name: String) -> [FeedElement] { children.filter { $0.name == name } }

    /// All text in it.
    var text: String {
        nodes.map { node in
            switch node {
            case .text(let text): text
            case .element(let element): element.text
            }
        }.joined()
    }

    /// Text on one line; nil for none.
    var line: String? {
        let line = FeedText.line(text)
        return line.isEmpty ? nil : line
    }

    /// The content as markup.
    var markup: String {
        nodes.map { node in
            switch node {
            case .text(let text): FeedText.escaped(text)
            case .element(let element): element.outerMarkup
            }
        }.joined()
    }

    private var outerMarkup: String {
        let list = attributes.filter { !$0.key.hasPrefix("xmlns") }.sorted { $0.key < $1.key }
            .map { " \($0.key)=\"\(FeedText.escaped($0.value))\"" }.joined()
        let isVoid = nodes.isEmpty && Self.voidNames.contains(String(localName))
        return isVoid ? "<\(localName)\(list)>" : "<\(localName)\(list)>\(markup)</\(localName)>"
    }

    /// Elements without an end tag (WHATWG HTML §13.1.2).
    private static let voidNames: Set = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
    ]
}
