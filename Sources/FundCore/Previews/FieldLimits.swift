/// Bounds of `FileFields`: for what is read of a file, and for what is believed of the process that has read it.
package enum FieldLimits {
    package static let maxRows = 200
    package static let maxColumns = 50
    /// Limit of a cell, in bytes.
    package static let maxCellBytes = 500
    package static let maxEvents = 100
    package static let maxAttendees = 50
    package static let maxCards = 100
    /// Limit of the entries of each kind in a card.
    package static let maxEntries = 20
    /// Limit of a name, a title and the like, in bytes.
    package static let maxLineBytes = 1000
    /// Limit of a description or a note, in bytes.
    package static let maxTextBytes = 8000
    /// Stands behind a text that is cut, and does not count for its bound.
    package static let ellipsis = "…"

    /// Delimiters of the cells of a table.
    package static let delimiters: Set<String> = ["\t", ";", ","]
}
