/// A name in a drive, compared by its bytes: a store may have names side by side that are canonically equivalent
/// (Unicode, §3.11), and `String` takes them for the same.
package struct ExactName: Sendable, Hashable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (a: ExactName, b: ExactName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
