internal import FundCore

/// A file as the rows of a table, or as the fields of a calendar, of cards or of a mail.
struct FieldsViewer {
    enum Outcome {
        /// For the template `filefields`, which also needs `wordsSource`.
        case shown(PageModel)
        /// Cannot be said yet.
        case making
        /// The file is shown otherwise.
        case none
    }

    let file: FileEntry
    let kind: FileKind
    let call: PageCall

    /// Whether the file may have rows or fields. Of what nothing is known yet, its name decides.
    static func isLikely(_ type: TrueType?, _ kind: FileKind) -> Bool {
        switch type ?? kind.expected {
        case .calendar, .card, .mail: true
        // That a text is a table is for its name to say: commas stand in letters, too.
        case .text: kind.isTable
        default: false
        }
    }

    /// Waits a moment for what is not made yet.
    func outcome(_ info: FileInfo?) async throws -> Outcome {
        guard Self.isLikely(info?.type, kind), let previews = call.parts.previews else { return .none }
        switch try await previews.fields(of: ServedContent(file), for: try call.userID) {
        case .ready(let content):
            guard let fields = FileFields(json: content.bytes) else { return .none }
            return .shown(Self.model(of: fields, call))
        case .making, .full: return .making
        case .failed: return .none
        }
    }

    static func model(of fields: FileFields, _ call: PageCall) -> PageModel {
        switch fields {
        case .table(let table): TableView(table, call.words).model
        case .calendar(let calendar): EntryViews(call).model(of: calendar)
        case .card(let cards): EntryViews(call).model(of: cards)
        case .mail(let mail): EntryViews(call).model(of: mail)
        }
    }
}

/// The rows of a table.
private struct TableView {
    let model: PageModel

    init(_ table: TableFields, _ words: Words) {
        // Each row is filled up to the widest one.
        let columns = min(table.rows.map(\.count).max() ?? 0, FieldLimits.maxColumns)
        let hasNumbers = (0..<columns).map { Self.hasNumbers(in: table.rows, column: $0) }
        func cells(_ row: [String]) -> [PageModel] {
            (0..<columns).map { column in
                ["cell": row.indices.contains(column) ? row[column] : "", "isNumber": hasNumbers[column]]
            }
        }
        // The first row names the columns, unless it has numbers or gaps itself.
        let head = table.rows.first.flatMap { row in
            let isHead = row.count == columns && table.rows.count > 1 && row.allSatisfy { !$0.isEmpty }
            return isHead && !row.contains(where: Self.isNumber) ? row : nil
        }
        let body = table.rows.dropFirst(head == nil ? 0 : 1)
        var model: PageModel = [
            "table": ["bodyRows": body.map { ["rowCells": cells($0)] as PageModel }] as PageModel,
            "entries": [PageModel](), "more": more(table, words),
        ]
        if let head { model["head"] = ["headCells": cells(head)] as PageModel }
        self.model = model

        func more(_ table: TableFields, _ words: Words) -> [PageModel] {
            var lines: [String] = []
            if table.hasMoreRows { lines.append(words("fields.rows", "\(table.rows.count)")) }
            if table.hasMoreColumns { lines.append(words("fields.columns", "\(columns)")) }
            return lines.map { ["line": $0] }
        }
    }

    /// Whether most cells of a column are numbers: they stand to the right.
    private static func hasNumbers(in rows: [[String]], column: Int) -> Bool {
        let cells = rows.compactMap { $0.indices.contains(column) && !$0[column].isEmpty ? $0[column] : nil }
        return cells.count(where: isNumber) * 2 > cells.count
    }

    /// Digits, with what stands in numbers and amounts.
    private static func isNumber(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count <= 32, bytes.contains(where: ASCII.isDigit) else { return false }
        return bytes.allSatisfy { ASCII.isDigit($0) || "+-.,% '()".utf8.contains($0) }
    }
}
