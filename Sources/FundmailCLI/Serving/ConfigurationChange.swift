import Dispatch
import FundCore
import Glibc
import Terminal

/// A change to the configuration by the running program, with the files of its secrets: all of it, or nothing.
struct ConfigurationChange {
    /// The queue of all changes: of two at the same time one would be lost. A disk may take seconds to say that it has
    /// written.
    static let queue = DispatchQueue(label: "fundmail.configuration")

    /// Beside the configuration.
    private static let secretsFolder = "secrets"
    /// Names that are tried for one secret.
    private static let maxNames = 100

    let editor: ConfigurationEditor
    private let old: ConfigurationFile
    /// Path of the folder with the secrets.
    private let folder: String

    /// Reads the configuration as it is now. Throws `CommandError` when there is none, or it cannot be read.
    init(_ workspace: Workspace) throws {
        guard let file = workspace.configuration.file else {
            throw CommandError(.configuration, "This program was started without a configuration.")
        }
        old = try ConfigurationFile(file)
        guard let text = String(validating: old.bytes, as: UTF8.self) else {
            throw CommandError(.configuration, "\(file) is not text in UTF-8; save it as UTF-8.")
        }
        // Relative paths in it start at the folder of its name, which a link may have elsewhere than its file.
        let home = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
        folder = (home.isEmpty ? "/" : home) + "/" + Self.secretsFolder
        editor = ConfigurationEditor(
            text: text, file: file, credentialsFolder: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) })
    }

    /// A sentence about a change that could not be written.
    static func reason(_ error: any Error) -> String {
        error is NotEditable
            ? "The configuration is written in a way that cannot be added to safely." : CommandError(error).message
    }

    /// A name for a secret that no file has. What was removed from the configuration may have left its file.
    func freeName(_ name: String) -> String {
        func isFree(_ name: String) -> Bool {
            var status = stat()
            return lstat("\(folder)/\(name)", &status) != 0
        }
        return ([name] + (2...Self.maxNames).map { "\(name)-\($0)" }).first(where: isFree) ?? name
    }

    /// Path of a secret as the configuration writes it.
    func path(of secret: String) -> String { "\(Self.secretsFolder)/\(secret)" }

    /// Writes the secrets, then the text. Throws `CommandError`; then nothing of it is left.
    func write(_ text: String, secrets: [(name: String, text: String)]) throws {
        var written: [String] = []
        var isDone = false
        defer { if !isDone { for path in written { unlink(path) } } }
        for secret in secrets {
            try old.writeSecret(secret.text, named: secret.name, in: folder)
            written.append("\(folder)/\(secret.name)")
        }
        try old.replace(with: text)
        isDone = true
    }
}
