internal import MailConnection
import FundCore
import MailSend
import MailWatch
import Terminal

/// Sentences about failures of the server for letters: what they mean, and what to do next.
extension CommandError {
    init(_ error: any Error, at smtp: SMTPConfiguration) {
        if let error = error as? MessageError {
            self.init(ExitStatus(error.condition), "\(error)")
        } else {
            self.init(error, advice: { Self.advice($0, smtp) })
        }
    }

    private static func advice(_ error: ConnectionError, _ smtp: SMTPConfiguration) -> (what: String, next: String) {
        let server = smtp.address.server
        let user = smtp.login?.user ?? "this machine"
        switch error.code {
        case .badConfiguration: return ("its settings cannot be used", "correct them in the configuration")
        case .unreachable:
            return (
                "\(server) cannot be reached",
                "check host and port in its url, the network (many block port 25), and whether the server "
                    + "is up"
            )
        case .certificate:
            return (
                "\(server) does not prove that it is \(server.host), so nobody logged in",
                smtp.caFile.map { "check that \($0) is the authority that signed its certificate, and its dates" }
                    ?? "if a private authority signed its certificate, name that authority's PEM file as tls_ca_file; "
                    + "otherwise the server needs a valid certificate for this name"
            )
        case .tlsRequired where smtp.address.scheme.isImplicitTLS:
            return (
                "\(server) does not begin with TLS, so nobody logged in",
                "check host and port in its url; smtp:// is for STARTTLS, mostly at port 587"
            )
        case .tlsRequired:
            return (
                "\(server) offers no encryption, so nobody logged in",
                "use smtps://, or have STARTTLS switched on there"
            )
        case .tlsExpected:
            return (
                "\(server) waits for TLS, and smtp:// waits for its greeting, so nobody logged in",
                "write smtps:// in its url"
            )
        case .loginRefused:
            return (
                "\(server) refuses the login of \(user)",
                "check user and \(smtp.login?.credential.place ?? "the login"), and whether this account may send "
                    + "by SMTP"
            )
        case .tokenUnavailable: return ("no token for the login can be had", "run its token_command by hand to see why")
        case .throttled: return ("\(server) asks for patience", "try again later")
        case .clientRefused:
            return ("\(server) takes no mail from this machine", "ask its administrator to let this machine in")
        case .senderRefused:
            return (
                "\(server) takes no letters from \(smtp.from.address)",
                "name as from an address that \(user) may send from; the server must also take letters with an empty "
                    + "return path (MAIL FROM:<>), as all automatic ones have"
            )
        case .protocolViolation where smtp.login != nil && error.operation == "login":
            return (
                "\(server) says what was not expected during the login",
                "check its url; where it takes letters without a login, leave user out"
            )
        case .protocolViolation: return ("\(server) says what no SMTP server should", "check its url")
        case .connectionLost:
            return ("\(server) hung up during \(error.operation)", "try again; if it stays so, ask its administrator")
        case .timedOut:
            return ("\(server) does not answer in time during \(error.operation)", "check the network and the server")
        case .unsupported:
            return ("\(server) cannot do what is needed", "use another server, or have PLAIN switched on there")
        case .outOfMemory: return ("there is no memory left", "try again when there is")
        default: return ("\(error.operation) failed: \(error.code.rawValue)", "try again")
        }
    }
}
