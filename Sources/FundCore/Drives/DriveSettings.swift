/// The settings of a drive, secrets included: never written anywhere but sealed, and never shown.
package struct DriveSettings: Sendable, Hashable, CustomStringConvertible {
    package var kind: DriveKind
    /// Values by the names of the kind's fields.
    package private(set) var values: [String: String]
    /// The tokens that the store gave for signing in (JSON), which it rotates. Nil for kinds with passwords and keys.
    package var token: String?
    /// The name of the account, as the store told it when a person signed in. It is no secret, and is not sealed.
    package var accountName: String?

    /// The longest value, in bytes: keys of stores have some hundred.
    package static let maxValueBytes = 4096

    /// Checks the values against the fields of the kind.
    ///
    /// Throws `DriveError` with `.settings` and the name of the field for an unknown one, for one that is missing, too
    /// long, holds controls, or is no address.
    package init(_ kind: DriveKind, _ values: [String: String], token: String? = nil) throws {
        let fields = kind.fields
        if let unknown = values.keys.sorted().first(where: { name in !fields.contains { $0.name == name } }) {
            throw DriveError(.settings, "\(unknown): there is no such setting")
        }
        for field in fields {
            let value = values[field.name] ?? ""
            if value.isEmpty, field.isRequired { throw DriveError(.settings, "\(field.name) is missing") }
            if let problem = field.problem(with: value) { throw DriveError(.settings, "\(field.name) \(problem)") }
        }
        self.kind = kind
        self.values = values.filter { !$0.value.isEmpty }
        self.token = token
    }

    package subscript(name: String) -> String? { values[name] }

    /// Says nothing of the values: what is interpolated into a log is no secret.
    package var description: String { "settings of \(kind.rawValue)" }
}

extension DriveField {
    /// The problem with a value, in words; nil for one that may stand, the empty one included.
    fileprivate func problem(with value: String) -> String? {
        if value.utf8.count > DriveSettings.maxValueBytes { return "is too long" }
        if value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "holds a control character"
        }
        guard !value.isEmpty else { return nil }
        switch form {
        case .text, .secret: return nil
        case .address: return DriveAddress(value) == nil ? "is no address that begins with https://" : nil
        case .choice(let choices):
            return choices.contains(value) ? nil : "is none of \(choices.joined(separator: ", "))"
        }
    }
}
