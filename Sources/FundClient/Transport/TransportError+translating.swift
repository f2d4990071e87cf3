internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

extension TransportError {
    private static let timeouts: [HTTPClientError] = [
        .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
    ]
    /// Nothing of the request was sent yet.
    private static let connectTimeouts: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout]
    /// The connection's end, or the server's, ends streams of HTTP/2 by the same errors as a cancelled task.
    private static let cancellations: [HTTPClientError] = [.cancelled, .requestStreamCancelled]
    private static let mistakes: [HTTPClientError] = [.invalidURL, .emptyHost, .emptyScheme, .bodyLengthMismatch]

    /// - Parameter error: what async-http-client or swift-nio throws.
    init(translating error: any Error) {
        switch error {
        case let error as TransportError: self = error
        case is CancellationError: self.init(endOfStream: "the request was cancelled")
        case let error as HTTPClientError: self.init(client: error)
        case let error as NIOConnectionError: self.init(.unreachable, Self.words(error))
        case let error as NIOSSLError: self.init(tls: error)
        case let error as NIOSSLExtraError:
            self.init(.certificate, error == .failedToValidateHostname ? Self.otherHost : "\(error)")
        case let error as BoringSSLError: self.init(.certificate, Self.words("\(error)"))
        case ChannelError.connectTimeout: self.init(.unreachable, "no answer to the connection")
        case let error as IOError:
            let isRefused = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN].contains(error.errnoCode)
            self.init(isRefused ? .unreachable : .interrupted, String(cString: strerror(error.errnoCode)))
        default: self.init(.interrupted, "\(error)")
        }
    }

    private init(client error: HTTPClientError) {
        if Self.timeouts.contains(error) {
            self.init(.timedOut, "nothing came for too long")
        } else if Self.connectTimeouts.contains(error) {
            self.init(.unreachable, "no answer to the connection")
        } else if error == .alreadyShutdown {
            self.init(.cancelled, "the transport was shut down")
        } else if Self.cancellations.contains(error) {
            self.init(endOfStream: error.shortDescription)
        } else if Self.mistakes.contains(error) {
            self.init(.invalid, error.shortDescription)
        } else {
            self.init(.interrupted, error.shortDescription)
        }
    }

    /// Creates the error of a stream that ended. To be called by the task that sent the request.
    private init(endOfStream words: String) {
        self.init(Task.isCancelled ? .cancelled : .interrupted, Task.isCancelled ? "the task was cancelled" : words)
    }

    private static let otherHost = "the certificate is another host's"

    private init(tls error: NIOSSLError) {
        switch error {
        case .handshakeFailed(let cause): self.init(.certificate, Self.words("\(cause)"))
        case .unableToValidateCertificate, .noCertificateToValidate: self.init(.certificate, "no valid certificate")
        case .uncleanShutdown: self.init(.interrupted, "the connection ended without goodbye")
        default: self.init(.interrupted, "\(error)")
        }
    }

    /// Short words for the known causes, since BoringSSL's texts are long.
    private static func words(_ text: String) -> String {
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the certificate is not signed by a known authority, has expired, or is another host's"
        }
        if text.contains("WRONG_VERSION_NUMBER") || text.contains("HTTP_REQUEST") {
            return "the server does not speak TLS at this port"
        }
        return text
    }

    private static func words(_ error: NIOConnectionError) -> String {
        if error.dnsAError != nil, error.connectionErrors.isEmpty { return "no host \(error.host) is known" }
        if let first = error.connectionErrors.first?.error as? IOError {
            return "\(error.host) port \(error.port): \(String(cString: strerror(first.errnoCode)))"
        }
        return "\(error.host) port \(error.port) does not answer"
    }
}
