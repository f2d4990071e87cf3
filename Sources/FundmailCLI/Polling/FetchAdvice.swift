internal import MailConnection
import FundCore
import MailWatch
import Terminal

/// Sentences about failures of a mail server: what they mean, and what to do next.
extension CommandError {
    /// Names the mailbox and where it is.
    init(_ error: any Error, at mailbox: MailboxConfiguration) {
        switch error {
        case let failure as CommandError: self = failure
        case let error as ConnectionError:
            // A secret that cannot be read says more than the login that needed it.
            if error.code == .tokenUnavailable, let error = error.underlying as? CredentialError {
                self.init(error, at: mailbox)
            } else {
                self.init(ExitStatus(error.condition), Self.text(error, mailbox))
            }
        case let error as CredentialError:
            let advice = error.condition == .unavailable ? "; run it by hand, as the same user, to see why" : ""
            self.init(
                ExitStatus(error.condition), "Mailbox \(mailbox.name): \(TerminalText.clean("\(error)"))\(advice).")
        default:
            let failure = CommandError(error)
            self.init(failure.status, "Mailbox \(mailbox.name): \(failure.message)")
        }
    }

    /// The status of the failure that matters most among those of several mailboxes; nil when there is none.
    static func weightiest(_ statuses: some Sequence<ExitStatus>) -> ExitStatus? {
        let weights: [ExitStatus] = [.software, .outputFailed, .cannotCreate, .configuration, .unavailable, .temporary]
        let failures = Set(statuses)
        return weights.first(where: failures.contains) ?? failures.first
    }

    private static func text(_ error: ConnectionError, _ mailbox: MailboxConfiguration) -> String {
        let (what, next) = advice(error, mailbox)
        // The server or the library may end it with a full stop, which would be one too many.
        var detail = error.detail
        while detail.last == "." { detail.removeLast() }
        if !detail.isEmpty { detail = " (\(detail))" }
        return "Mailbox \(mailbox.name): \(what)\(detail); \(next)."
    }

    private static func advice(_ error: ConnectionError, _ mailbox: MailboxConfiguration) -> (
        what: String, next: String
    ) {
        let address = mailbox.server
        let host = "\(address.host):\(address.port)"
        let proto = address.scheme.isIMAP ? "IMAP" : "POP3"
        switch error.code {
        case .badConfiguration: return ("its settings cannot be used", "correct them in the configuration")
        case .unreachable:
            return (
                "\(host) cannot be reached", "check host and port in its url, the network, and whether the server is up"
            )
        case .certificate:
            return (
                "\(host) does not prove that it is \(address.host), so nobody logged in",
                mailbox.caFile.map { "check that \($0) is the authority that signed its certificate, and its dates" }
                    ?? "if a private authority signed its certificate, name that authority's PEM file as tls_ca_file; "
                    + "otherwise the server needs a valid certificate for this name"
            )
        case .tlsRequired where address.scheme.isImplicitTLS:
            return (
                "\(host) does not begin with TLS, so nobody logged in",
                "check host and port in its url, and whether the server is up; \(proto.lowercased()):// is for STARTTLS"
            )
        case .tlsRequired:
            return (
                "\(host) offers no encryption, so nobody logged in",
                "use \(address.scheme.isIMAP ? "imaps" : "pop3s")://, or have STARTTLS switched on there"
            )
        case .tlsExpected:
            return (
                "\(host) waits for TLS, and \(address.scheme.rawValue):// waits for its greeting, so nobody logged in",
                "write \(address.scheme.rawValue)s:// in its url"
            )
        case .loginRefused:
            return ("\(host) refuses the login of \(address.user)", loginAdvice(error, mailbox))
        case .tokenUnavailable: return ("no token for the login can be had", "run its token_command by hand to see why")
        case .throttled where error.loginHint == .busyOrWrongPassword:
            return (
                "\(host) refuses the login of \(address.user), and does not say whether it is busy or the password is "
                    + "wrong",
                "try again later; where it stays so, see whether user and password are right"
            )
        case .throttled:
            let pause = error.retryAfter.map { " in \(Int($0.seconds.rounded(.up))) s" } ?? " later"
            return ("\(host) asks for patience", "try again\(pause)")
        case .inUse: return ("another program holds this mailbox at \(host)", "try again when it is done")
        case .protocolViolation:
            return ("\(host) says what no \(proto) server should", "check its url; --trace FILE shows what was said")
        case .connectionLost:
            return ("\(host) hung up during \(error.operation)", "try again; if it stays so, ask its administrator")
        case .timedOut:
            return ("\(host) does not answer in time during \(error.operation)", "check the network and the server")
        case .runLimit:
            let limit = Quantity.setting(seconds: mailbox.runLimitSeconds)
            return (
                "the run took longer than \(limit), so it ended; what came is filed",
                "the next run goes on from there; run_limit in the configuration allows more"
            )
        case .cancelled: return ("the run was interrupted", "run the same command again")
        case .commandRefused: return ("\(host) refuses \(error.operation)", refusalAdvice(error, mailbox))
        case .overQuota:
            // Mostly "to move …"; of a server that is so full that it refuses a login, the name of the command.
            let purpose = error.operation.hasPrefix("to ") ? error.operation : "for \(error.operation)"
            return (
                "\(host) has no room \(purpose)",
                "make room in the account of \(address.user) there, or have its quota raised"
            )
        case .limitReached:
            return ("a limit of \(host) is reached: it refuses \(error.operation)", "have its administrator raise it")
        case .clientRefused:
            return (
                "\(host) lets \(address.user) in, and does not open the mailbox for this program",
                "allow other mail programs in the settings of the account at its provider, and use the code that it "
                    + "gives for them as password"
            )
        case .accountUnavailable:
            return (
                "\(host) takes the login of \(address.user), and has no mailbox behind it",
                "check that the account is the one whose token or password is used, and that it has a mailbox there "
                    + "and may use \(proto)"
            )
        case .mailboxUnavailable:
            return ("\(host) does not open \(address.mailbox)", "check the folder in its url and the rights to it")
        case .unsupported:
            return ("\(host) cannot do what is needed: \(error.operation)", "use another server or protocol")
        case .messageUnavailable: return ("\(host) does not give a message", "look at it there")
        case .spool: return ("the store cannot be written", "check the disk and the rights on the store")
        case .outOfMemory: return ("there is no memory left", "try again when there is")
        default: return ("\(error.operation) failed: \(error.code.rawValue)", "try again")
        }
    }

    private static func loginAdvice(_ error: ConnectionError, _ mailbox: MailboxConfiguration) -> String {
        let usual = "check the user in its url and \(mailbox.credential.place)"
        return switch error.loginHint {
        case .serverNeedsPasswordForAPOP:
            "\(usual); the server offers APOP, which fails where it keeps only a hash of the password: "
                + "have APOP switched off there, or PLAIN offered"
        case .onlyASCII:
            "\(usual); it holds letters beyond ASCII, which the server can take only by AUTH=PLAIN: "
                + "have that offered there"
        case .busyOrWrongPassword, nil:
            "\(usual), and whether \(mailbox.server.scheme.isIMAP ? "IMAP" : "POP3") is allowed for this account"
        }
    }

    /// By the response codes of RFC 5530.
    private static func refusalAdvice(_ error: ConnectionError, _ mailbox: MailboxConfiguration) -> String {
        switch error.responseCode {
        case "CANNOT": "choose another name for the folder in its `after`"
        case "SERVERBUG", "CORRUPTION", "CONTACTADMIN": "ask the administrator of the server"
        case "CLIENTBUG": "please report it, with what --trace FILE shows"
        default: "check the rights of \(mailbox.server.user) there"
        }
    }
}

extension CredentialSource {
    /// Completes "check …".
    var place: String {
        switch self {
        case .password: "a password in the configuration file"
        case .passwordFile(let path): "the password in \(path)"
        case .passwordEnvironment(let name): "the password in the environment variable \(name)"
        case .oauth2: "an OAuth 2.0 token"
        }
    }
}
