/// Where the next page of a list begins. What it holds is not for reading.
public struct PageCursor: Hashable, Sendable, Codable {
    public let text: String

    public init(text: String) { self.text = text }
}

/// A piece of a list.
public struct Page<Element: Sendable>: Sendable {
    public var elements: [Element]
    /// Nil on the last page.
    public var next: PageCursor?

    public init(_ elements: [Element], next: PageCursor?) {
        self.elements = elements
        self.next = next
    }
}
