package import FundCore
internal import MailConnection

/// A failure of an object store, or of the line to it. Texts hold no key and nothing of an object.
package struct ObjectStorageError: DelayedError, Sendable, CustomStringConvertible {
    /// The reason of a failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Name: String {
            case address, noKey, unreachable, untrusted, lost, timedOut, refused, clockSkew, elsewhere, noBucket
            case missing, exists, throttled, serverFailed, damaged, outOfRange, full, unsupported, unreadable
            case cancelled, other
        }
        private let name: Name

        /// The address of the bucket cannot be read.
        package static let address = Code(name: .address)
        /// There is no key, or it cannot be read.
        package static let noKey = Code(name: .noKey)
        /// No server answers.
        package static let unreachable = Code(name: .unreachable)
        /// The certificate of the server is not valid for its name.
        package static let untrusted = Code(name: .untrusted)
        /// The connection ended before the whole answer had come: a change was made, or not.
        package static let lost = Code(name: .lost)
        /// The answer took too long: a change was made, or not.
        package static let timedOut = Code(name: .timedOut)
        /// The store does not know the key, or the key may not do this.
        package static let refused = Code(name: .refused)
        /// This machine's clock and the store's are too far apart; `skew` says how far.
        package static let clockSkew = Code(name: .clockSkew)
        /// The bucket lies in another region or at another address; `region` names it where the store does.
        package static let elsewhere = Code(name: .elsewhere)
        /// There is no such bucket.
        package static let noBucket = Code(name: .noBucket)
        /// There is no such object or upload.
        package static let missing = Code(name: .missing)
        /// There is an object of this name already.
        package static let exists = Code(name: .exists)
        /// The store asks for fewer requests, or to come back later.
        package static let throttled = Code(name: .throttled)
        /// The store failed.
        package static let serverFailed = Code(name: .serverFailed)
        /// Bytes changed on their way, or the answer is not about the bytes that were asked for.
        package static let damaged = Code(name: .damaged)
        /// The object has no such bytes.
        package static let outOfRange = Code(name: .outOfRange)
        /// The store or a quota is full.
        package static let full = Code(name: .full)
        /// The store cannot do this.
        package static let unsupported = Code(name: .unsupported)
        /// The answer is none that a store like this one gives.
        package static let unreadable = Code(name: .unreadable)
        package static let cancelled = Code(name: .cancelled)
        package static let other = Code(name: .other)

        package var description: String { name.rawValue }
    }

    package var code: Code
    /// The operation that failed: `put v1/…`.
    package var operation: String
    /// The reason in words, those of the store where it gave one.
    package var message: String
    /// The store's name of the failure: `SlowDown`, see
    /// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
    package var name: String?
    package var retryAfter: Duration?
    /// How far the store's clock is ahead of this machine's; negative where it is behind.
    package var skew: Duration?
    /// The region in which the bucket lies.
    package var region: String?

    init(_ code: Code, _ operation: String, _ message: String, name: String? = nil) {
        (self.code, self.operation, self.message, self.name) = (code, operation, message, name)
    }

    package var isTemporary: Bool {
        let temporary: Set<Code> = [
            .unreachable, .lost, .timedOut, .throttled, .serverFailed, .damaged, .full, .clockSkew, .cancelled,
        ]
        return temporary.contains(code)
    }

    /// Whether the same request may succeed within seconds.
    var canRunAgain: Bool {
        [.unreachable, .lost, .timedOut, .throttled, .serverFailed, .damaged].contains(code)
    }

    package var condition: ErrorCondition {
        switch code {
        case .address, .noKey, .untrusted, .refused, .elsewhere, .noBucket, .unsupported: .configuration
        case .throttled, .cancelled: .busy
        case .full: .outOfSpace
        case .missing, .exists, .damaged, .outOfRange, .unreadable: .storage
        default: .unavailable
        }
    }

    package var description: String {
        "the object store cannot \(operation): \(message)" + (name.map { " (\($0))" } ?? "")
    }
}

extension ObjectStorageError {
    /// A failure of the line.
    init(_ error: ConnectionError, _ operation: String) {
        let code: Code =
            switch error.code {
            case .unreachable: .unreachable
            case .certificate, .tlsRequired: .untrusted
            case .connectionLost, .protocolViolation: .lost
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            // The one answer that a session refuses is one that is longer than any that was asked for.
            case .unsupported: .unreadable
            default: .other
            }
        self.init(code, operation, error.detail.isEmpty ? error.code.rawValue : error.detail)
        retryAfter = error.retryAfter
    }
}
