import FundCore

/// Reads the first rows of comma-separated values (RFC 4180), as programs of all kinds write them. Takes time that
/// grows with the text only, whatever it is made of.
struct TableReader {
    /// Number of rows by which the delimiter is chosen.
    private static let sampleRows = 20
    /// Delimiters in order of preference where they fit equally: commas stand in numbers, too.
    private static let delimiters: [UInt8] = [.tab, .semicolon, .comma]

    private let bytes: [UInt8]
    private let delimiter: UInt8
    private var index: Int
    /// A quotation mark was opened and never closed: none of those behind it means anything.
    private var hasStrayQuote = false

    private init(_ bytes: [UInt8], _ delimiter: UInt8, from start: Int) {
        (self.bytes, self.delimiter, index) = (bytes, delimiter, start)
    }

    /// Nil for a text that is no table: fewer than a third of its first rows have as many cells as each other, two at
    /// least. Titles may stand above a table, and notes below it.
    /// - Parameters:
    ///   - bytes: UTF-8 without byte order mark.
    ///   - isWhole: the file has no more text.
    static func fields(of bytes: [UInt8], isWhole: Bool) -> TableFields? {
        let declared = declaredDelimiter(bytes)
        guard let delimiter = declared?.byte ?? likelyDelimiter(bytes) else { return nil }
        var reader = TableReader(bytes, delimiter, from: declared?.end ?? 0)
        var room = FieldRoom()
        var fields = TableFields(
            delimiter: String(decoding: [delimiter], as: UTF8.self), rows: [], hasMoreRows: !isWhole,
            hasMoreColumns: false)
        while let row = reader.next() {
            guard fields.rows.count < FieldLimits.maxRows else {
                fields.hasMoreRows = true
                break
            }
            var cells: [String] = []
            for cell in row.cells {
                guard let shown = room.cell(cell) else {
                    fields.hasMoreRows = true
                    return fields.rows.isEmpty ? nil : fields
                }
                cells.append(shown)
            }
            fields.rows.append(cells)
            if row.count > row.cells.count { fields.hasMoreColumns = true }
        }
        return fields.rows.isEmpty ? nil : fields
    }

    /// `sep=;` in the first line, which Excel reads and writes.
    private static func declaredDelimiter(_ bytes: [UInt8]) -> (byte: UInt8, end: Int)? {
        let line = bytes.prefix(8).prefix { $0 != .lf && $0 != .cr }
        guard line.count == 5, ASCII.lowercased(line.prefix(4)) == "sep=", delimiters.contains(bytes[4]) else {
            return nil
        }
        return (bytes[4], line.endIndex)
    }

    /// The one by which the most of the first rows have as many cells as each other, two at least; nil where they are
    /// fewer than a third.
    private static func likelyDelimiter(_ bytes: [UInt8]) -> UInt8? {
        var best: (delimiter: UInt8, rows: Int)?
        for delimiter in delimiters {
            var reader = TableReader(bytes, delimiter, from: 0)
            var (counts, rows): ([Int: Int], Int) = ([:], 0)
            while rows < sampleRows, let row = reader.next() {
                if row.count >= 2 { counts[row.count, default: 0] += 1 }
                rows += 1
            }
            guard let most = counts.values.max(), most * 3 >= rows, most > best?.rows ?? 0 else { continue }
            best = (delimiter, most)
        }
        return best?.delimiter
    }

    private struct Row {
        /// The first ones.
        var cells: [String] = []
        /// Number of all cells.
        var count = 0
    }

    /// One cell as it is read.
    private struct Cell {
        private var bytes: [UInt8] = []
        private var isCut = false
        /// Nothing but blanks has come, and no quotation mark.
        private(set) var isBlank = true

        mutating func add(_ byte: UInt8) {
            isBlank = isBlank && ASCII.isBlank(byte)
            if bytes.count < FieldLimits.maxCellBytes { bytes.append(byte) } else { isCut = true }
        }

        /// Blanks before a quotation mark do not count.
        mutating func beginQuotes() {
            bytes.removeAll(keepingCapacity: true)
            (isCut, isBlank) = (false, false)
        }

        var text: String {
            guard isCut else { return String(decoding: bytes, as: UTF8.self) }
            // Between two characters.
            let whole = bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? bytes.endIndex
            return String(decoding: bytes[..<whole], as: UTF8.self) + FieldLimits.ellipsis
        }
    }

    /// The next row that has something in it; nil at the end.
    private mutating func next() -> Row? {
        while index < bytes.count {
            let start = index
            let row = readRow()
            guard let row else {
                // Once: all quotation marks are characters from now on.
                (hasStrayQuote, index) = (true, start)
                continue
            }
            if row.count > 1 || !(row.cells.first?.isEmpty ?? true) { return row }
        }
        return nil
    }

    /// Nil when a quotation mark is not closed before the end of the text.
    private mutating func readRow() -> Row? {
        var (row, cell, isQuoted) = (Row(), Cell(), false)
        func endCell() {
            if row.cells.count < FieldLimits.maxColumns { row.cells.append(cell.text) }
            row.count += 1
            cell = Cell()
        }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if isQuoted {
                if byte != .quote {
                    cell.add(byte)
                } else if index < bytes.count, bytes[index] == .quote {
                    cell.add(byte)
                    index += 1
                } else {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case delimiter: endCell()
            case .lf, .cr:
                if byte == .cr, index < bytes.count, bytes[index] == .lf { index += 1 }
                endCell()
                return row
            case .quote where !hasStrayQuote && cell.isBlank:
                cell.beginQuotes()
                isQuoted = true
            default: cell.add(byte)
            }
        }
        guard !isQuoted else { return nil }
        endCell()
        return row
    }
}
