/// Where the next page of a list begins. What it holds is not for reading.
public struct PageCursor: Hashable, Sendable, Codable {
    /// For people.
    public let text: String

    /// Creates a cursor of the text that a server sent.
    public init(text: String) { self.text = text }
}

/// A piece of a list.
public struct Page<Element: Sendable>: Sendable {
    /// Elements of this page.
    public var elements: [Element]
    /// Nil on the last page.
    public var next: PageCursor?

    /// Creates a page.
    public init(_ elements: [Element], next: PageCursor?) {
        self.elements = elements
        self.next = next
    }
}
