/// What of a message's trace is the word of our own servers.
///
/// Only `Authentication-Results` fields above the first untrusted `Received` count: what stands below it came with the message and
/// may be forged. Untrusted is every `Received` but the topmost `ownReceivedFields` ones and those with which the server handed
/// the message to itself.
struct TrustEvidence {
    /// Of the trusted server, topmost first; of one without a name at most the topmost of all.
    private(set) var fields: [AuthenticationResults] = []
    /// A `Received` of our own servers says that the client had logged in. Without `ownReceivedFields` the first that is no
    /// handover is among them: our server wrote it before it put its results on top.
    private(set) var hasLogin = false

    init(_ trace: [TraceField], id: TrustPolicy.AuthservID, ownReceivedFields: Int) {
        var found: [AuthenticationResults?] = []
        var receivedCount = 0
        walk: for field in trace {
            switch field {
            case .authenticationResults(let text): found.append(AuthenticationResults(text))
            case .received(let text):
                let received = ReceivedField(text)
                receivedCount += 1
                let isOurs = receivedCount <= ownReceivedFields || ownReceivedFields == 0
                if isOurs, received.isAuthenticated { hasLogin = true }
                guard receivedCount > ownReceivedFields else { continue }
                if case .named(let host) = id, received.isLocalHandover(at: host) { continue }
                break walk
            }
        }
        switch id {
        case .named(let name): fields = found.compactMap { $0 }.filter { $0.authservID == name.lowercased() }
        case .topmostWithoutID:
            if let topmost = found.first ?? nil, topmost.authservID == nil { fields = [topmost] }
        }
    }
}
