import FundCore
import Glibc
import MailWatch
import Terminal

/// Checks of the files and tokens of a login.
enum CredentialCheckup {
    /// One finding about a login.
    enum Result {
        case ok(String)
        case warning(String)
        case failure(CommandError)
    }

    /// Looks at the files that a login needs.
    ///
    /// - Parameters:
    ///   - credential: nil for a server without a login.
    ///   - isOffline: also at variables of the environment, which no login will miss.
    static func files(_ credential: CredentialSource?, caFile: String?, isOffline: Bool) -> [Result] {
        var results: [Result] = []
        var files: [(key: String, path: String)] = []
        switch credential {
        case .passwordFile(let path): files.append(("password_file", path))
        case .oauth2(.file(let path)): files.append(("token_file", path))
        case .passwordEnvironment(let name), .oauth2(.environment(let name)):
            // It may be set in the environment of a service.
            if isOffline, getenv(name) == nil {
                results.append(.warning("the environment variable \(name) is not set here"))
            }
        case .password, .oauth2(.command), nil: break
        }
        if let caFile { files.append(("tls_ca_file", caFile)) }
        for (key, path) in files where access(path, R_OK) != 0 {
            let problem = SystemText.of(errno)
            let next =
                path.hasPrefix(ConfigurationDecoder.credentialsMark)
                ? "; only a service of systemd has it: systemctl start fundmail-doctor" : ": \(problem)"
            results.append(.failure(CommandError(.configuration, "\(key) \(path) cannot be read\(next)")))
        }
        for (key, path) in files where key != "tls_ca_file" {
            results += SecretFileCheck.problems(with: path, key: key).map { .warning($0) }
        }
        return results
    }

    /// Says until when a token is good.
    static func token(_ token: SeenToken, _ credential: CredentialSource, now: Timestamp) -> Result {
        guard let expiry = token.expiresAt else {
            return .ok("its access token does not say until when it is good")
        }
        guard token.isExpired(at: now) else {
            let renewal = token.isRenewed ? "; its token_command fetches the next one" : ""
            return .ok("its access token is good until \(Clock.local(expiry))\(renewal)")
        }
        let next =
            switch credential {
            case .oauth2(.file(let path)): "have a new one written to \(path)"
            case .oauth2(.environment(let name)): "give the environment variable \(name) a new one"
            default: "its token_command must fetch a new one"
            }
        return .warning("its access token was good until \(Clock.local(expiry)); \(next)")
    }

    /// - Parameter loss: what happens when the certificate has expired.
    static func certificate(_ expiry: Timestamp, now: Timestamp, loss: String) -> Result {
        let days = Int64((expiry - now) / .seconds(86400))
        let text = "its certificate is good until \(Clock.local(expiry)) (\(days) days)"
        return expiry < now + SeenCertificate.leastTime
            ? .warning("\(text); have it renewed, \(loss) when it has expired") : .ok(text)
    }
}
