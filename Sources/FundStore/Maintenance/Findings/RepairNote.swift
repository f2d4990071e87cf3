/// One thing that was done to complete a database of which rows could not be read, for people.
struct RepairNote {
    var text: String
    /// Whether nothing is missing.
    var isWhole: Bool

    init(_ text: String, isWhole: Bool = false) { (self.text, self.isWhole) = (text, isWhole) }
}

extension [RepairNote] {
    mutating func add(_ text: String, isWhole: Bool = false) { append(RepairNote(text, isWhole: isWhole)) }
}

/// Reason why a repair changed nothing, in words for people.
struct RepairRefusal: Error {
    var reason: String
}
