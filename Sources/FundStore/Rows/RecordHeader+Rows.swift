extension RecordHeader.Kind {
    /// Table of the rows that have such records.
    var table: String { self == .message ? "message" : "blob" }
}
