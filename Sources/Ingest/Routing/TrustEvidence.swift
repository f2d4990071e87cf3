import FundCore

/// The fields of a message's trace that our own servers wrote.
///
/// Only `Authentication-Results` fields above the first untrusted `Received` count: what stands below it came with the
/// message and may be forged. Untrusted is every `Received` but the topmost `ownReceivedFields` and those of handovers
/// within the server.
struct TrustEvidence {
    /// Fields of the trusted server, topmost first; for one without a name at most the topmost of all.
    private(set) var fields: [AuthenticationResults] = []
    /// A `Received` of our own servers says that the client had logged in. Without `ownReceivedFields` the first that
    /// is no handover is among them: our server wrote it before it put its results on top.
    private(set) var hasLogin = false
    /// Whether a field of our server does not follow the grammar.
    private(set) var isUnreadable = false

    init(_ trace: [TraceField], id: TrustPolicy.AuthservID, ownReceivedFields: Int) {
        var found: [(results: AuthenticationResults?, text: String)] = []
        var receivedCount = 0
        walk: for field in trace {
            switch field {
            case .authenticationResults(let text): found.append((AuthenticationResults(text), text))
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
        case .named(let name):
            // An unreadable field of our server may contradict the readable ones: then no result counts.
            isUnreadable = found.contains { $0.results == nil && Self.mentions(name, in: $0.text) }
            guard !isUnreadable else { return }
            fields = found.compactMap(\.results).filter { $0.authservID.map { Self.isSame($0, name) } ?? false }
        case .topmostWithoutID:
            if let topmost = found.first?.results, topmost.authservID == nil { fields = [topmost] }
        }
    }

    /// With or without the dot of a name that is complete (RFC 1034 §3.1).
    private static func isSame(_ id: String, _ name: String) -> Bool {
        func bare(_ text: String) -> String { text.last == "." ? String(text.dropLast()) : text }
        return bare(id) == bare(name.lowercased())
    }

    /// By bytes: such a text can hold anything.
    private static func mentions(_ name: String, in text: String) -> Bool {
        func lower(_ text: String) -> [UInt8] { text.utf8.map { ASCII.lowercased($0) } }
        return !name.isEmpty && ASCII.firstIndex(of: lower(name), in: lower(text)) != nil
    }
}
