/// The first rows of comma-separated values (RFC 4180) and their like.
package struct TableFields: Sendable, Hashable, Codable {
    /// `,`, `;` or a tab.
    package var delimiter: String
    /// Rows may have fewer cells than others. Cells are texts, formulas too; a long one is cut and ends with `…`.
    package var rows: [[String]]
    package var hasMoreRows: Bool
    /// True when some row has more columns.
    package var hasMoreColumns: Bool

    package init(delimiter: String, rows: [[String]], hasMoreRows: Bool, hasMoreColumns: Bool) {
        self.delimiter = delimiter
        self.rows = rows
        self.hasMoreRows = hasMoreRows
        self.hasMoreColumns = hasMoreColumns
    }
}
