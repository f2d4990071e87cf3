import Foundation
import Terminal

extension SecretInput {
    /// Bytes of a file with secrets: what is longer holds other things, too.
    private static let maxFileBytes = 64 << 10

    /// The password of an account: from a file if one is named, else from `FUND_PASSWORD`, else from the terminal
    /// without showing what is typed, else from the first line of standard input. Throws `CommandError`.
    static func password(for name: String, file: String?) throws -> String {
        try telling("The password", interrupted: "you are not signed in") {
            guard let line = try line(of: file, orIn: "FUND_PASSWORD") else { return try ask("Password of \(name): ") }
            return try text(line)
        }
    }

    /// An app password: from a file if one is named, else from `FUND_APP_PASSWORD`; nil without both. Throws
    /// `CommandError`.
    static func appPassword(file: String?) throws -> String? {
        try telling("The app password", interrupted: "nothing was read") {
            try line(of: file, orIn: appPasswordVariable).map { try text($0).trimmingCharacters(in: .whitespaces) }
        }
    }

    static let appPasswordVariable = "FUND_APP_PASSWORD"

    /// Secrets by their names: the lines of a file if one is named, else from the terminal without showing what is
    /// typed, else the next lines of standard input. Throws `CommandError`.
    static func secrets(_ names: [String], file: String?) throws -> [String: String] {
        let lines = try file.map(lines)
        var secrets: [String: String] = [:]
        for (index, name) in names.enumerated() {
            secrets[name] = try telling(name, interrupted: "nothing was added") {
                guard let lines else { return try ask("\(name): ") }
                return try text(index < lines.count ? lines[index] : [])
            }
        }
        return secrets
    }

    /// The first line of a file, else the value of a variable of the environment; nil without both.
    private static func line(of file: String?, orIn variable: String) throws -> [UInt8]? {
        if let file { return try lines(of: file).first ?? [] }
        return ProcessInfo.processInfo.environment[variable].map { Array($0.utf8) }
    }

    private static func lines(of file: String) throws -> [[UInt8]] {
        guard let handle = FileHandle(forReadingAtPath: file), let bytes = try? handle.read(upToCount: maxFileBytes)
        else {
            throw CommandError(.usage, "The file \(file) cannot be read, or is empty.")
        }
        return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Runs the body, and says of a secret what is wrong with it.
    private static func telling<Value>(
        _ secret: String, interrupted: String, _ body: () throws -> Value
    ) throws -> Value {
        do { return try body() } catch let problem as Problem {
            throw switch problem {
            case .interrupted: CommandError(.temporary, "Interrupted; \(interrupted).")
            case .notText: CommandError(.usage, "\(secret) is not a line of text in UTF-8.")
            case .empty: CommandError(.usage, "\(secret) was not given.")
            }
        }
    }
}
