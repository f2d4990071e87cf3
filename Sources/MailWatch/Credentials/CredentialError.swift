package import FundCore

/// A password or token that cannot be read from where the configuration says it is. Holds nothing of the secret.
package struct CredentialError: OperationalError, Sendable, CustomStringConvertible {
    /// `configuration`: the file or variable that the configuration names holds no usable secret. `unavailable`: the token command
    /// failed.
    package var condition: ErrorCondition
    /// What is wrong, as a clause: `password_file /x is empty`.
    package var description: String

    /// Only a person can put it right.
    package var isTemporary: Bool { false }

    package init(_ condition: ErrorCondition, _ description: String) {
        self.condition = condition
        self.description = description
    }
}
