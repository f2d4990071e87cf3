import FundCore
import Glibc
import MailWatch

/// Checks of a readable file that holds a secret.
enum SecretFileCheck {
    /// Sentences without a full stop, each with what to do. `key` is what the configuration calls the file.
    static func problems(with path: String, key: String) -> [String] {
        permissionProblems(with: path, key: key) + contentProblems(with: path, key: key)
    }

    /// Whether other users can read the file, or anyone but its owner can change it. Its group may read it: that is a
    /// way to share a secret.
    static func permissionProblems(with path: String, key: String) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        let mode = status.st_mode & 0o777
        guard mode & 0o027 != 0 else { return [] }
        let octal = String(mode, radix: 8)
        let text = String(repeating: "0", count: max(0, 4 - octal.utf8.count)) + octal
        let ability = mode & 0o004 != 0 ? "can be read by everybody on this machine" : "can be changed by others"
        let command = ShellWord.command(["chmod", mode & 0o040 != 0 && mode & 0o004 == 0 ? "640" : "600", path])
        return ["\(key) \(path) \(ability) (mode \(text)); \(command)"]
    }

    /// What an editor or a copy left there: only one line end is taken away when the secret is read.
    private static func contentProblems(with path: String, key: String) -> [String] {
        guard var bytes = try? WholeFile.read(path, maxBytes: CredentialSource.maxSecretBytes) else { return [] }
        var problems: [String] = []
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            problems.append(
                "\(key) \(path) begins with a byte order mark, which is taken for part of it; save it without")
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        if let last = bytes.last, [" ", "\t", "\n", "\r"].contains(Unicode.Scalar(last)) {
            let what = last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") ? "a blank" : "more than one line end"
            problems.append(
                "\(key) \(path) ends in \(what), which is taken for part of it; only one line end is left out")
        }
        return problems
    }
}
