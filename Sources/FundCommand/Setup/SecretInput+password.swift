import Foundation
import Terminal

extension SecretInput {
    /// The password of an account: from a file if one is named, else from `FUND_PASSWORD`, else from the terminal
    /// without showing what is typed, else from the first line of standard input. Throws `CommandError`.
    static func password(for name: String, file: String?) throws -> String {
        do {
            if let file {
                guard let bytes = FileManager.default.contents(atPath: file) else {
                    throw CommandError(.usage, "The file \(file) cannot be read.")
                }
                return try text(Array(bytes.prefix { $0 != UInt8(ascii: "\n") }))
            }
            if let password = ProcessInfo.processInfo.environment["FUND_PASSWORD"] {
                return try text(Array(password.utf8))
            }
            return try ask("Password of \(name): ")
        } catch let problem as Problem {
            throw switch problem {
            case .interrupted: CommandError(.temporary, "Interrupted; you are not signed in.")
            case .notText: CommandError(.usage, "The password is not a line of text in UTF-8.")
            case .empty: CommandError(.usage, "No password was given.")
            }
        }
    }

    /// Secrets by their names: the lines of a file if one is named, else from the terminal without showing what is
    /// typed, else the next lines of standard input. Throws `CommandError`.
    static func secrets(_ names: [String], file: String?) throws -> [String: String] {
        var lines: [[UInt8]]?
        if let file {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw CommandError(.usage, "The file \(file) cannot be read.")
            }
            lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
        }
        var secrets: [String: String] = [:]
        for (index, name) in names.enumerated() {
            do {
                if let lines {
                    secrets[name] = try text(index < lines.count ? lines[index] : [])
                } else {
                    secrets[name] = try ask("\(name): ")
                }
            } catch {
                throw switch error {
                case .interrupted: CommandError(.temporary, "Interrupted; nothing was added.")
                case .notText: CommandError(.usage, "\(name) is not a line of text in UTF-8.")
                case .empty: CommandError(.usage, "\(name) was not given.")
                }
            }
        }
        return secrets
    }
}
