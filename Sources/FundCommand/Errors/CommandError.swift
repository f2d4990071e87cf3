import FundClient
import Terminal

extension CommandError {
    /// Phrases any error.
    init(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as ClientError: self.init(ExitStatus(error.code), error.sentence)
        case is CancellationError: self.init(.temporary, "It was interrupted; run the same command again.")
        default: self.init(.software, "Something went wrong that should not: \(error). Please report it.")
        }
    }

    /// Says on standard error why the command failed, unless only the reader of its output has closed it.
    func report() { if !isReaderGone { Console.warn(message) } }
}

extension ExitStatus {
    init(_ code: ClientError.Code) {
        self =
            switch code {
            case .unreachable, .certificate, .foreign, .storeFault: .unavailable
            case .timedOut, .interrupted, .cancelled, .busy, .serverFault, .noSpaceOnServer, .changedHere:
                .temporary
            case .unauthenticated, .wrongPassword, .codeAsked, .wrongCode, .forbidden, .quarantined: .denied
            case .notFound, .conflict, .preconditionFailed, .tooLarge, .proxyLimit, .outdated, .invalid: .refused
            case .damaged, .protocolViolation: .protocol
            case .noSpaceHere, .local: .cannotCreate
            }
    }
}

extension ClientError {
    /// A sentence that says what happened and what to do next.
    fileprivate var sentence: String {
        switch code {
        case .unreachable: "The server cannot be reached: \(detail). Is the network there, and the address right?"
        case .certificate:
            "The server cannot prove who it is: \(detail). If it has an authority of its own, sign in again with "
                + "--ca-file; and see whether the clock of this machine is right."
        case .timedOut: "The server did not answer in time; try again later."
        case .interrupted: "The connection was cut (\(detail)); run the same command again."
        case .cancelled: "It was interrupted; run the same command again."
        case .unauthenticated:
            "The session has ended, or the app password that was given: it expired, was revoked, or the password was "
                + "changed. Sign in again with `fund login`, or give another app password."
        case .wrongPassword: "The address or the password is wrong."
        case .codeAsked: "This account has a second factor: sign in with --code and a code of the authenticator app."
        case .wrongCode: "The code is wrong, or was used before: wait for the next one."
        case .forbidden: "The server does not allow it: \(detail)."
        case .notFound: "There is no such thing (any more)."
        case .conflict: "It cannot be done: \(detail)."
        case .preconditionFailed:
            "It was changed elsewhere in the meantime; nothing was changed. Look at it and try again."
        case .outdated: "The server was restored from a backup; run the same command again."
        case .tooLarge: "It is larger than the server takes."
        case .noSpaceOnServer:
            "There is no room left for your files on the server; empty the trash or tell its administrator, and try "
                + "again later."
        case .busy:
            retryAfter.map { "The server is busy: \(detail). Try again in \(Quantity.display(seconds: $0.seconds))." }
                ?? "The server is busy: \(detail). Try again later."
        case .serverFault: "The server failed (\(detail)); try again later, and tell its administrator if it stays so."
        case .storeFault: "The store of the drive does not do it: \(detail)."
        case .damaged: "The bytes are damaged: \(detail)."
        case .quarantined: "The server holds it back: \(detail)."
        case .invalid: "The server refuses it: \(detail)."
        case .foreign:
            "\(detail.prefix(1).uppercased())\(detail.dropFirst()). Does this network want you to sign in first? If "
                + "the server has another address by now, sign in there with `fund login`."
        case .proxyLimit: "It cannot be sent: \(detail)."
        case .protocolViolation: "This does not look like a Fundmail server: \(detail)."
        case .noSpaceHere: "The disk of this machine is full (\(detail)); make room and run the same command again."
        case .changedHere:
            "\(detail) was written to each time that it was sent; try again when nothing writes to it."
        case .local: "\(detail)."
        }
    }
}
