/// The reason for which a delivery to a webhook failed. Raw values are stored.
package enum WebhookProblem: String, Sendable, Hashable, CaseIterable {
    /// The administrators do not allow this port.
    case forbidden
    /// The host has an address of a private network, and the administrators do not name it.
    case privateAddress = "private_address"
    case unreachable
    case certificate
    /// No whole answer came in time.
    case tooSlow = "too_slow"
    /// The receiver leads elsewhere (3xx), where no delivery goes.
    case redirect
    /// The receiver wants no deliveries any more (410).
    case gone
    /// The receiver answered with another status than 2xx.
    case status
    /// The secret was sealed under another server.key: it has to be made anew.
    case secret

    /// A sentence in English without a full stop.
    package var text: String {
        switch self {
        case .forbidden: "the administrators do not allow this port"
        case .privateAddress: "the address leads to a private network, which the administrators do not allow"
        case .unreachable: "the receiver cannot be reached"
        case .certificate: "the certificate of the receiver is not valid"
        case .tooSlow: "the receiver does not answer in time"
        case .redirect: "the receiver leads to another address, and no delivery follows"
        case .gone: "the receiver wants no deliveries any more"
        case .status: "the receiver did not take the delivery"
        case .secret: "its secret was sealed under another server.key: make a new one"
        }
    }

    /// Whether no later attempt can succeed before its owner has done something.
    package var isFinal: Bool { self == .gone || self == .secret }
}
