extension NewsArticle {
    /// The article as a note of a fund: its text, under a line with where it is from and when.
    ///
    /// Not for the cooperative threads: it may read a long HTML.
    package var note: NoteText {
        let title = item.title.isEmpty ? item.feedTitle : item.title
        return NoteText(title: title.prefix(bytes: NoteText.maxTitleBytes), content: text)
    }

    /// The article as a text file: its title, then the text of its note.
    ///
    /// Not for the cooperative threads: it may read a long HTML.
    package var textFile: (name: String, content: String) {
        let note = self.note
        return ("\(fileStem).txt", "\(note.title)\n\n\(note.content)")
    }

    /// Its title as the name of a file, without an extension.
    package var fileStem: String {
        let title = item.title.isEmpty ? item.feedTitle : item.title
        let name = title.prefix(bytes: NoteText.maxTitleBytes).unicodeScalars.map { scalar in
            "/\\:*?\"<>|".unicodeScalars.contains(scalar) || scalar.properties.generalCategory == .control
                ? " " : String(scalar)
        }.joined().trimmed.prefix(bytes: Self.maxStemBytes).trimmed
        return name.hasVisibleScalar && !name.hasPrefix(".") ? name : "News"
    }

    /// Limit of a file's name without its extension, in bytes.
    private static let maxStemBytes = 120

    /// Where it is from: its feed, author and date, and its address where it has one.
    package var headLines: [String] {
        let line = [source, item.author ?? "", Self.day(item.publishedAt)].filter { !$0.isEmpty }
        return [line.joined(separator: " · ")] + [item.link].compactMap(\.self)
    }

    private var text: String {
        let head = headLines.joined(separator: "\n")
        let body = VisibleText.of(html: html).trimmed
        let files = enclosures.map(\.address).joined(separator: "\n")
        return [head, body, files].filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    /// The date as ISO 8601 has it, in UTC.
    private static func day(_ time: Timestamp) -> String {
        let days = Int((Double(time.rawValue) / 86_400).rounded(.down))
        let date = CivilDate(daysSince1970: days)
        return "\(String(date.year).zeroPadded(to: 4))-\(String(date.month).zeroPadded(to: 2))-"
            + String(date.day).zeroPadded(to: 2)
    }
}
