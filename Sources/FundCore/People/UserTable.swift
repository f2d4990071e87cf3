/// Another system's user table, read into rows for the store.
package struct UserTable {
    /// One person.
    package struct Line {
        /// Counted from 1.
        package var number: Int
        package var row: UserImportRow
    }

    /// A mistake in a line.
    package struct Mistake: Error, Equatable {
        package var line: Int
        package var problem: String

        package init(line: Int, problem: String) {
            self.line = line
            self.problem = problem
        }
    }

    private enum Column: CaseIterable {
        case email, name, addresses, funds, admin, disabled

        var title: String { "\(self)" }

        /// Letters only, lower case, as they are compared.
        var synonyms: [String] {
            switch self {
            case .email:
                ["email", "mail", "emailaddress", "mailaddress", "emailadresse", "username", "userprincipalname"]
            case .name: ["name", "fullname", "displayname", "realname"]
            case .addresses: ["addresses", "address", "aliases", "otheraddresses", "moreaddresses", "proxyaddresses"]
            case .funds: ["funds", "fund", "folders"]
            case .admin: ["admin", "administrator", "isadmin", "isadministrator"]
            case .disabled: ["disabled", "isdisabled", "inactive", "blocked"]
            }
        }
    }

    package private(set) var lines: [Line] = []
    /// All of them, so that the file can be corrected at once.
    package private(set) var mistakes: [Mistake] = []
    /// Column titles that are not used, for a notice.
    package private(set) var ignoredColumns: [String] = []

    /// Throws a `Mistake` when the file as a whole cannot be read.
    package init(_ text: String) throws(Mistake) {
        let rows: [CSVReader.Row]
        do { rows = try CSVReader.rows(text) } catch { throw Mistake(line: error.line, problem: error.problem) }
        guard let header = rows.first else { throw Mistake(line: 1, problem: "the file is empty") }
        let columns = try columns(header)
        for row in rows.dropFirst() {
            do { lines.append(Line(number: row.line, row: try Self.row(row, columns, header.cells.count))) } catch {
                mistakes.append(error)
            }
        }
    }

    private mutating func columns(_ header: CSVReader.Row) throws(Mistake) -> [Column: Int] {
        var columns: [Column: Int] = [:]
        for (index, title) in header.cells.enumerated() {
            let key = title.lowercased().filter(\.isLetter)
            guard let column = Column.allCases.first(where: { $0.synonyms.contains(key) }) else {
                if !title.isEmpty { ignoredColumns.append(title) }
                continue
            }
            guard columns[column] == nil else {
                throw Mistake(line: header.line, problem: "two columns mean \(column.title)")
            }
            columns[column] = index
        }
        guard columns[.email] != nil else {
            throw Mistake(
                line: header.line, problem: "there is no column \"email\"; the first line must name the columns")
        }
        return columns
    }

    private static func row(
        _ row: CSVReader.Row, _ columns: [Column: Int], _ width: Int
    ) throws(Mistake) -> UserImportRow {
        guard row.cells.count <= width else {
            throw Mistake(line: row.line, problem: "\(row.cells.count) cells, but \(width) columns")
        }
        func cell(_ column: Column) -> String? {
            guard let index = columns[column], index < row.cells.count else { return nil }
            let text = row.cells[index].trimmed
            return text.isEmpty ? nil : text
        }
        func flag(_ column: Column) throws(Mistake) -> Bool? {
            guard let text = cell(column) else { return nil }
            switch text.lowercased() {
            case "1", "true", "yes", "y", "x", "on": return true
            case "0", "false", "no", "n", "off": return false
            default: throw Mistake(line: row.line, problem: "\(column.title) must be yes or no, not \"\(text)\"")
            }
        }
        guard let email = cell(.email) else { throw Mistake(line: row.line, problem: "there is no email") }
        return UserImportRow(
            email: email, name: cell(.name), isAdministrator: try flag(.admin), isDisabled: try flag(.disabled),
            addresses: (cell(.addresses) ?? "").split { $0 == ";" || $0 == "," || $0.isWhitespace }.map(String.init),
            funds: (cell(.funds) ?? "").split(separator: ";").map(\.trimmed).filter { !$0.isEmpty })
    }
}
