/// A document of an office: a letterhead, and below it paragraphs, tables and charts from the top down.
struct SampleDocument {
    private static let margin = 64.0
    private static let lineHeight = 15.0
    /// Characters of a line of body text; letters of Helvetica are half as wide as they are high.
    private static let lineLength = 88

    private var pdf = SamplePDF()
    /// The base of the next line.
    private var y = SamplePDF.height

    /// - Parameters:
    ///   - sender: the firm of the letterhead.
    ///   - note: a line below the title, such as the date.
    init(_ title: String, from sender: String, note: String) {
        pdf.addPage()
        pdf.fill(x: 0, y: SamplePDF.height - 64, width: SamplePDF.width, height: 64, .blue)
        let white = SamplePDF.Colour(red: 1, green: 1, blue: 1)
        pdf.write(sender, x: Self.margin, y: SamplePDF.height - 39, size: 15, isBold: true, white)
        y = SamplePDF.height - 118
        pdf.write(title, x: Self.margin, y: y, size: 21, isBold: true)
        y -= 22
        pdf.write(note, x: Self.margin, y: y, .grey)
        y -= 34
    }

    var bytes: [UInt8] { pdf.bytes }

    func addingPage(_ title: String) -> Self {
        with {
            $0.pdf.addPage()
            $0.y = SamplePDF.height - 80
            $0.pdf.write(title, x: Self.margin, y: $0.y, size: 15, isBold: true)
            $0.y -= 32
        }
    }

    /// Lines of text that break between words.
    func adding(_ text: String) -> Self {
        with { page in
            var line = ""
            for word in text.split(separator: " ") {
                if line.count + word.count >= Self.lineLength {
                    page.writeLine(line)
                    line = ""
                }
                line += line.isEmpty ? String(word) : " \(word)"
            }
            page.writeLine(line)
            page.y -= 9
        }
    }

    private mutating func writeLine(_ line: String) {
        pdf.write(line, x: Self.margin, y: y)
        y -= Self.lineHeight
    }

    /// Rows of equal columns below their titles. Cells but the first stand at the right of their columns.
    func addingTable(_ titles: [String], _ rows: [[String]]) -> Self {
        with { page in
            let width = SamplePDF.width - 2 * Self.margin
            let first = width * 0.4
            let other = (width - first) / Double(max(titles.count - 1, 1))
            for (index, row) in ([titles] + rows).enumerated() {
                if index % 2 == 0 {
                    let colour: SamplePDF.Colour = index == 0 ? .blue : .pale
                    page.pdf.fill(x: Self.margin - 6, y: page.y - 6, width: width + 12, height: 20, colour)
                }
                let ink = index == 0 ? SamplePDF.Colour(red: 1, green: 1, blue: 1) : .ink
                for (column, cell) in row.enumerated() {
                    let end = Self.margin + first + other * Double(column)
                    let x = column == 0 ? Self.margin : end - 5.6 * Double(cell.count)
                    page.pdf.write(cell, x: x, y: page.y, isBold: index == 0, ink)
                }
                page.y -= 20
            }
            page.y -= 14
        }
    }

    /// A bar for each value, as long as its share of the greatest.
    func addingBars(_ values: [(name: String, value: Double)]) -> Self {
        with { page in
            let most = values.map(\.value).max() ?? 1
            for bar in values {
                page.pdf.write(bar.name, x: Self.margin, y: page.y)
                let width = 260 * bar.value / most
                page.pdf.fill(x: Self.margin + 130, y: page.y - 4, width: width, height: 15, .blue)
                page.pdf.write("\(bar.value)", x: Self.margin + 138 + width, y: page.y, .grey)
                page.y -= 24
            }
            page.y -= 12
        }
    }

    private func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
