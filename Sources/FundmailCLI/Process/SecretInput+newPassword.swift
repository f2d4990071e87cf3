import Terminal

extension SecretInput {
    /// A new password: at a terminal asked for twice, without showing what is typed; else the first line of standard
    /// input. Throws `CommandError`.
    static func newPassword(for name: String) throws -> String {
        do {
            let first = try ask("New password of \(name): ")
            guard try !isTerminal || ask("The same again: ") == first else {
                throw CommandError(.input, "The two are not the same; nothing was changed.")
            }
            return first
        } catch let problem as Problem {
            throw switch problem {
            case .interrupted: CommandError(.temporary, "Interrupted; nothing was changed.")
            case .notText: CommandError(.input, "That is not a line of text in UTF-8.")
            case .empty: CommandError(.input, "No password was given; nothing was changed.")
            }
        }
    }
}
