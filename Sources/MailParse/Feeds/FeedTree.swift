import FundCore

/// Makes elements of the tokens of a document. It refuses nothing: end tags without a beginning are left out, and what
/// has no end, ends with what it is in.
struct FeedTree {
    /// Elements further inside are taken for siblings.
    static let maxDepth = 64
    /// Elements of a document; the rest is left out.
    private static let maxElements = 300_000
    /// Bases of a document; elements with further ones have that of what they are in. An item has one or two.
    private static let maxBases = 10_000
    /// Prefixes that are declared in an element and around it; feeds declare some ten.
    private static let maxPrefixes = 64

    private var stack: [FeedElement]
    /// Prefixes that are declared in each open element, with the usual ones for their namespaces.
    private var prefixes: [[String: String]]
    private var count = 0
    private var baseCount = 0

    /// - Parameter text: UTF-8.
    /// - Returns: an element without a name that holds those of the document.
    static func root(of text: [UInt8], base: String?) -> FeedElement {
        var tree = FeedTree(base: base)
        var tokens = FeedTokenizer(text)
        while let token = tokens.next(), tree.count < maxElements { tree.take(token) }
        return tree.stack[0]
    }

    private init(base: String?) {
        stack = [FeedElement(name: "", base: base)]
        prefixes = [[:]]
    }

    private mutating func take(_ token: FeedTokenizer.Token) {
        switch token {
        case .text(let text): stack[stack.count - 1].nodes.append(.text(text))
        case .start(let name, let attributes, let isEmpty): begin(name, attributes, isEmpty)
        case .end(let name): end(name)
        }
    }

    private mutating func begin(_ name: String, _ attributes: [String: String], _ isEmpty: Bool) {
        var declared = prefixes[prefixes.count - 1]
        for (key, value) in attributes {
            guard key.hasPrefix("xmlns") else { continue }
            let prefix = key == "xmlns" ? "" : String(key.dropFirst(6))
            guard declared.count < Self.maxPrefixes || declared[prefix] != nil else { continue }
            declared[prefix] = FeedNamespaces.usualPrefix(of: value) ?? prefix
        }
        let known = FeedNamespaces.name(of: name, declared)
        // An item within an item: the one before has no end.
        if known == "item" || known == "entry", let open = stack.lastIndex(where: { $0.name == known }) {
            close(downTo: open)
        }
        let parent = stack[stack.count - 1]
        let base = base(attributes["xml:base"], in: parent)
        let element = FeedElement(name: known, attributes: attributes, base: base)
        parent.nodes.append(.element(element))
        count += 1
        guard !isEmpty, stack.count < Self.maxDepth else { return }
        stack.append(element)
        prefixes.append(declared)
    }

    /// The base of an element: as long as an address may be, since a document may resolve all its references at it.
    private mutating func base(_ reference: String?, in parent: FeedElement) -> String? {
        guard let reference, reference.utf8.count <= NewsAddress.maxBytes, baseCount < Self.maxBases else {
            return parent.base
        }
        baseCount += 1
        let base = parent.base.map { NewsAddress.resolved(reference, at: $0) } ?? NewsAddress(reference)?.text
        guard let base, base.utf8.count <= NewsAddress.maxBytes else { return parent.base }
        return base
    }

    private mutating func end(_ name: String) {
        let known = FeedNamespaces.name(of: name, prefixes[prefixes.count - 1])
        guard let open = stack.lastIndex(where: { $0.name == known }), open > 0 else { return }
        close(downTo: open)
    }

    private mutating func close(downTo open: Int) {
        stack.removeSubrange(open...)
        prefixes.removeSubrange(open...)
    }
}

/// Namespaces of feeds.
enum FeedNamespaces {
    /// The name of an element with the usual prefix of its namespace; none in the namespaces of feeds themselves.
    /// - Parameter declared: usual prefixes of the declared ones.
    static func name(of name: String, _ declared: [String: String]) -> String {
        guard let colon = name.firstIndex(of: ":") else {
            let space = declared[""] ?? ""
            return space.isEmpty ? name : "\(space):\(name)"
        }
        let (prefix, local) = (String(name[..<colon]), name[name.index(after: colon)...])
        let space = declared[prefix] ?? (feedPrefixes.contains(prefix) ? "" : prefix)
        return space.isEmpty ? String(local) : "\(space):\(local)"
    }

    /// Prefixes that stand for feeds where they are not declared.
    private static let feedPrefixes: Set = ["atom", "rss"]

    /// The usual prefix of a namespace; nil for one that is not known.
    static func usualPrefix(of address: String) -> String? {
        let address = address.trimmed.lowercased()
        return known[address] ?? known[address + "/"]
    }

    private static let known: [String: String] = {
        let names: [(String, String)] = [
            ("", "http://backend.userland.com/rss http://blogs.law.harvard.edu/tech/rss http://purl.org/rss/1.0/"),
            ("", "http://my.netscape.com/rdf/simple/0.9/ http://example.com/newformat# http://example.com/necho"),
            ("", "http://purl.org/echo/ uri/of/echo/namespace# http://purl.org/pie/ http://purl.org/atom/ns#"),
            ("", "http://www.w3.org/2005/atom http://purl.org/rss/1.0/modules/rss091# http://purl.org/net/rss1.1#"),
            ("", "http://channel.netscape.com/rdf/simple/0.9/ http://backend.userland.com/rss2"),
            ("", "http://backend.userland.com/rss091 http://my.netscape.com/publish/formats/rss-0.91.dtd"),
            (
                "dc",
                "http://purl.org/dc/elements/1.0/ http://purl.org/dc/elements/1.1/"
            ),
            (
                "dc", "http://purl.org/metadata/dublin_core#"
            ),
            ("dcterms", "http://purl.org/dc/terms/"), ("content", "http://purl.org/rss/1.0/modules/content/"),
            ("sy", "http://purl.org/rss/1.0/modules/syndication/"), ("xhtml", "http://www.w3.org/1999/xhtml/"),
            ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"), ("media", "http://search.yahoo.com/mrss/"),
            ("itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd http://example.com/dtds/podcast-1.0.dtd"),
        ]
        var result: [String: String] = [:]
        for (prefix, addresses) in names {
            for address in addresses.split(separator: " ") { result[String(address)] = prefix }
        }
        return result
    }()
}
