import FundCore

extension ContactFile.Fault {
    /// The fault of a file, behind its name.
    var words: String {
        switch self {
        case .tooLarge: "it is longer than \(ContactLimits.maxFileBytes) bytes"
        case .empty: "there are no people in it"
        case .malformed(let line, let problem): "line \(line): \(problem)"
        case .notText, .noColumns: "it is neither vCard nor a table of contacts"
        }
    }
}
