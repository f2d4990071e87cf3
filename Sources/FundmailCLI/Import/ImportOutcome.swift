/// The result of an import for one file or folder. The raw values are those of JSON lines.
enum ImportOutcome: String, CaseIterable {
    case imported
    /// A file that was older stood under the name; it is in the trash.
    case replaced
    /// A file with the same content stood under the name.
    case there
    /// A file by which an operating system or an editor keeps notes for itself.
    case passedOver = "passed_over"
    case refused

    /// The words of the table for people.
    var title: String {
        switch self {
        case .imported: "imported"
        case .replaced: "replaced"
        case .there: "there already"
        case .passedOver: "passed over"
        case .refused: "not imported"
        }
    }
}
