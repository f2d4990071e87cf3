/// A name in a drive, compared by its bytes: a store may have names side by side that are canonically equivalent
/// (Unicode, §3.11), and `String` takes them for the same.
struct ExactName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: ExactName, b: ExactName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
