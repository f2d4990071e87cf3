/// Text whose paragraphs were wrapped to travel (`format=flowed`, RFC 3676 §4).
struct FlowedText {
    /// Whether the sender put in the blank at the end of a wrapped line (`DelSp=yes`), so that it goes.
    private let deletesSpace: Bool

    /// - Parameter parameters: those of the Content-Type, by lower-case name. Nil where the text is not flowed.
    init?(_ parameters: [String: String]) {
        guard parameters["format"]?.lowercased() == "flowed" else { return nil }
        deletesSpace = parameters["delsp"]?.lowercased() == "yes"
    }

    /// One line of the text as it came (§4.5).
    private struct Line {
        /// Count of `>` in front.
        let depth: Int
        let content: Substring.UTF8View
        /// Whether it goes on in the next line; a signature's `-- ` does not (§4.3).
        let isFlowed: Bool

        init(_ line: Substring.UTF8View) {
            var content = line.drop { $0 == UInt8(ascii: ">") }
            depth = line.count - content.count
            // Stuffed: without the blank it would begin with one, with `>`, or with `From ` (§4.4).
            if content.first == UInt8(ascii: " ") { content = content.dropFirst() }
            self.content = content
            isFlowed = content.last == UInt8(ascii: " ") && !content.elementsEqual("-- ".utf8)
        }
    }

    /// The text with each paragraph in one line, and `> ` before lines that quote. An empty line ends a paragraph, also
    /// behind a line with a blank at its end.
    /// - Parameter text: with LF line ends.
    func joined(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        /// The depth of the paragraph that goes on, if one does.
        var open: Int?
        var rest = Substring(text).utf8
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            let line = Line(rest[..<(end ?? rest.endIndex)])
            rest = end.map { rest[rest.index(after: $0)...] } ?? rest[rest.endIndex...]
            let goesOn = open == line.depth && !line.content.isEmpty && !line.content.elementsEqual("-- ".utf8)
            if !goesOn {
                if open != nil { output.append(UInt8(ascii: "\n")) }
                output.append(contentsOf: repeatElement(UInt8(ascii: ">"), count: line.depth))
                if line.depth > 0, !line.content.isEmpty { output.append(UInt8(ascii: " ")) }
            }
            output.append(contentsOf: line.isFlowed && deletesSpace ? line.content.dropLast() : line.content)
            open = line.isFlowed ? line.depth : nil
            if open == nil, end != nil { output.append(UInt8(ascii: "\n")) }
        }
        if open != nil, text.utf8.last == UInt8(ascii: "\n") { output.append(UInt8(ascii: "\n")) }
        return String(decoding: output, as: UTF8.self)
    }
}
