import FundCore

/// Where a page of a list ends: the values by which the list is ordered, so that a page begins where the one before ended,
/// whatever has come or gone since.
struct ListCursor {
    var numbers: [Int64]
    /// Only the last one may hold a line feed.
    var texts: [String] = []

    var text: String {
        ([numbers.map(String.init).joined(separator: ".")] + texts).joined(separator: "\n")
    }

    init(_ numbers: Int64..., texts: [String] = []) {
        self.numbers = numbers
        self.texts = texts
    }

    /// Throws `invalid`.
    init(decoding text: String, numbers numberCount: Int, texts textCount: Int = 0) throws {
        let parts = text.split(separator: "\n", maxSplits: textCount, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: ".").compactMap { Int64($0) }
        guard parts.count == textCount + 1, numbers.count == numberCount else {
            throw StoreError(.invalid, "list", "there is no such cursor")
        }
        self.numbers = numbers
        texts = parts.dropFirst().map(String.init)
    }
}

/// Some of the rows of a list.
struct ListPage<Item> {
    /// Of the texts of a page: a thousand readers at a time are bounded.
    static var maxTextBytes: Int { 1 << 20 }

    private(set) var items: [Item] = []
    private(set) var hasMore = false
    private let limit: Int
    private var bytes = 0

    init(limit: Int) { self.limit = limit }

    /// False when the page is full: then the item is not in it.
    mutating func add(_ item: Item, textBytes: Int = 0) -> Bool {
        guard items.count < limit, items.isEmpty || bytes < Self.maxTextBytes else {
            hasMore = true
            return false
        }
        items.append(item)
        bytes += textBytes
        return true
    }

    func page<Result: Sendable>(_ make: (Item) -> Result, next: (Item) throws -> ListCursor) rethrows -> Page<Result> {
        Page(items: items.map(make), next: hasMore ? try items.last.map { try next($0).text } : nil)
    }
}
