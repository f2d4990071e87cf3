internal import MailConnection
import FundCore
import MailSend
import MailWatch

/// The server for letters as it is written into the configuration.
struct SMTPEntry: Sendable, Hashable {
    var address: SubmissionAddress
    /// Empty: the server takes letters without a login.
    var user: String
    /// Path as the configuration writes it; nil without a login.
    var passwordFile: String?
    /// Sender of every letter, as it was typed.
    var from: String
    /// The PEM file of a private certificate authority, as `passwordFile`; nil for the system's authorities.
    var authorityFile: String?
    var usesTLS = true

    /// YAML below the key `smtp`, one key a line.
    var lines: [String] {
        let (scheme, server) = (address.scheme, address.server)
        let port = server.port == scheme.defaultPort ? "" : ":\(server.port)"
        var keys = ["url: \(YAMLScalar.url("\(scheme.rawValue)://\(server.urlHost)\(port)"))"]
        if !user.isEmpty { keys.append("user: \(YAMLScalar.text(user))") }
        if let passwordFile { keys.append("password_file: \(YAMLScalar.text(passwordFile))") }
        keys.append("from: \(YAMLScalar.text(from))")
        if let authorityFile { keys.append("tls_ca_file: \(YAMLScalar.text(authorityFile))") }
        if !usesTLS { keys.append("tls: off") }
        return keys.map { "  " + $0 }
    }

    /// Whether a configuration that was read back says what is meant.
    func isSaid(by smtp: SMTPConfiguration) -> Bool {
        var hasPassword = passwordFile == nil
        if let login = smtp.login, case .passwordFile = login.credential { hasPassword = passwordFile != nil }
        return smtp.address == address && smtp.login?.user ?? "" == user && hasPassword && smtp.usesTLS == usesTLS
            && smtp.from == (try? Correspondent(from, field: "it")) && (smtp.caFile == nil) == (authorityFile == nil)
    }
}
