internal import MailConnection
import FundCore
import MailWatch
import Terminal

/// Sentences about failures of the directory's server: what they mean, and what to do next.
extension CommandError {
    init(_ error: any Error, at server: CardServerConfiguration) {
        self.init(error, advice: { Self.advice($0, server) })
    }

    private static func advice(
        _ error: ConnectionError, _ server: CardServerConfiguration
    ) -> (what: String, next: String) {
        let host = server.address.server
        switch error.code {
        case .unreachable:
            return ("\(host) cannot be reached", "check carddav_url, the network, and whether the server is up")
        case .certificate:
            return (
                "\(host) does not prove that it is \(host.host), so nobody logged in",
                server.caFile.map { "check that \($0) is the authority that signed its certificate, and its dates" }
                    ?? "if a private authority signed its certificate, name that authority's PEM file as tls_ca_file; "
                    + "otherwise the server needs a valid certificate for this name"
            )
        case .tlsRequired:
            return ("\(host) does not begin with TLS, so nobody logged in", "check host and port in carddav_url")
        case .loginRefused:
            return server.login.map {
                (
                    "\(host) refuses the login of \($0.user)",
                    "check user and \($0.credential.place), and whether the account may read the address book"
                )
            } ?? ("\(host) wants a login", "add user and password_file")
        case .tokenUnavailable: return ("no token for the login can be had", "run its token_command by hand to see why")
        case .mailboxUnavailable:
            return ("\(host) has no address book there", "check the path in carddav_url")
        case .commandRefused:
            return (
                "\(host) refuses \(TerminalText.clean(error.operation))",
                "check carddav_url, and the rights of \(server.login?.user ?? "people without a login") there"
            )
        case .throttled: return ("\(host) has no time now", "it is asked again later")
        case .protocolViolation:
            return ("\(host) does not answer as a CardDAV server does", "check the path in carddav_url")
        case .unsupported:
            return ("the address book cannot be read from \(host)", "check carddav_url")
        case .connectionLost:
            return ("\(host) hung up during \(TerminalText.clean(error.operation))", "it is asked again later")
        case .timedOut:
            return (
                "\(host) does not answer in time during \(TerminalText.clean(error.operation))",
                "check the network and the server"
            )
        case .runLimit:
            return ("\(host) is slow: not all cards could be read in one go", "the rest is read next time")
        case .cancelled: return ("the look at \(host) was interrupted", "it is asked again later")
        case .outOfMemory: return ("there is no memory left", "try again when there is")
        default:
            return (
                "\(TerminalText.clean(error.operation)) failed: \(error.code.rawValue)", "it is asked again later"
            )
        }
    }
}
