internal import MailConnection
import FundCore
import MailWatch
import Terminal

extension CommandError {
    /// A failure of another server.
    ///
    /// - Parameter advice: what a failure of the connection means, and what to do next.
    init(_ error: any Error, advice: (ConnectionError) -> (what: String, next: String)) {
        switch error {
        case let error as ConnectionError:
            // A secret that cannot be read says more than the login that needed it.
            if error.code == .tokenUnavailable, let error = error.underlying as? CredentialError {
                self.init(error, advice: advice)
            } else {
                let (what, next) = advice(error)
                // The server or the library may end it with a full stop, which would be one too many.
                var detail = TerminalText.clean(error.detail)
                while detail.last == "." { detail.removeLast() }
                if !detail.isEmpty { detail = " (\(detail))" }
                self.init(ExitStatus(error.condition), "\(what)\(detail); \(next)")
            }
        case let error as CredentialError:
            let advice = error.condition == .unavailable ? "; run it by hand, as the same user, to see why" : ""
            self.init(ExitStatus(error.condition), "\(TerminalText.clean("\(error)"))\(advice)")
        default: self.init(error)
        }
    }
}
