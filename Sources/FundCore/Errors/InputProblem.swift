/// A mistake in what a person typed or chose: a kind, by which an interface says it in the reader's language, and the
/// text in English.
package struct InputProblem: Sendable, Hashable {
    /// The raw values stand in the table of the pages' words.
    package enum Kind: String, Sendable, CaseIterable {
        case nameEmpty = "name-empty"
        case nameTooLong = "name-too-long"
        case nameInvisible = "name-invisible"
        case nameSlash = "name-slash"
        case nameControls = "name-controls"
        case nameBrackets = "name-brackets"
        case fundNameTooLong = "fund-name-too-long"
        case tooManyAliases = "too-many-aliases"
        case tooDeep = "too-deep"
        case intoItself = "into-itself"
        case sameFile = "same-file"
        case replacesItsFolder = "replaces-its-folder"
        case unknownPerson = "unknown-person"
        case titleTooLong = "title-too-long"
    }

    package var kind: Kind
    /// Without a full stop.
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}
