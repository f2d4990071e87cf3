internal import MailConnection
import FundCore

/// An entry of `mailboxes`, as it is written into the configuration.
struct MailboxEntry: Sendable, Hashable {
    var name: String
    var server: MailServerAddress
    /// Path as the configuration writes it: relative to its folder, or absolute.
    var passwordFile: String
    /// The PEM file of a private certificate authority, as `passwordFile`; nil for the system's authorities.
    var authorityFile: String?
    var trust: TrustPolicy

    /// YAML, one key a line.
    /// - Parameter indent: what stands in front of the hyphen.
    func lines(indent: String) -> [String] {
        var keys = [
            "name: \(YAMLScalar.text(name))", "url: \(YAMLScalar.url(server.text))",
            "password_file: \(YAMLScalar.text(passwordFile))",
        ]
        if let authorityFile { keys.append("tls_ca_file: \(YAMLScalar.text(authorityFile))") }
        keys.append("after: keep")
        keys.append("trust: \(trustText)")
        return keys.enumerated().map { indent + ($0 == 0 ? "- " : "  ") + $1 }
    }

    private var trustText: String {
        guard case .dmarc(let id, let ownReceived, _) = trust else { return "{require: none}" }
        let name =
            switch id {
            case .named(let name): name
            case .topmostWithoutID: "topmost-without-id"
            }
        return "{authserv_id: \(YAMLScalar.text(name)), require: dmarc, own_received: \(ownReceived)}"
    }
}

/// Text as a scalar of YAML (YAML 1.2 §7.3), plain where that is safe in every place, else in double quotes.
enum YAMLScalar {
    /// Plain scalars that are no text in other schemas: `null`, and booleans of other programs.
    private static let words: Set<String> = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"]

    static func text(_ text: String) -> String {
        let bytes = text.utf8
        let isPlain =
            bytes.allSatisfy { ASCII.isAlphanumeric($0) || "._/@+-".utf8.contains($0) }
            && bytes.first.map { ASCII.isLetter($0) || $0 == UInt8(ascii: "/") } == true
            && !words.contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }

    /// A URL is plain in a block: it has neither `: ` nor ` #`, and begins with a letter.
    static func url(_ text: String) -> String {
        let isPlain =
            text.utf8.allSatisfy { ASCII.isAlphanumeric($0) || ":/@%._~+-[]".utf8.contains($0) }
            && text.utf8.first.map(ASCII.isLetter) == true && text.utf8.last != .colon
        return isPlain ? text : quoted(text)
    }

    /// In double quotes (YAML 1.2 §5.7): what cannot be seen is escaped.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where isSeen(scalar): result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\U" + digits.zeroPadded(to: 8)
            }
        }
        return result + "\""
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        case .spaceSeparator: scalar == " "
        default: true
        }
    }
}
