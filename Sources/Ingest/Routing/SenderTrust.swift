/// Whether a server that we trust vouches for the sender's domain (RFC 8601, RFC 7489).
enum SenderTrust {
    enum Verdict: Equatable {
        case trusted(String)
        case untrusted(String)
    }

    /// Only `Authentication-Results` fields above the first untrusted `Received` count: what stands below it came with the
    /// message and may be forged. Untrusted is every `Received` but the topmost `ownReceivedFields` ones and those with which
    /// the server handed the message to itself.
    static func verdict(sender: EmailAddress, trace: [TraceField], policy: TrustPolicy) -> Verdict {
        guard case .dmarc(let id, let ownReceivedFields) = policy else {
            return .trusted("the administrator vouches for the sender")
        }
        var fields: [AuthenticationResults?] = []
        var receivedCount = 0
        walk: for field in trace {
            switch field {
            case .authenticationResults(let text): fields.append(AuthenticationResults(text))
            case .received(let text):
                receivedCount += 1
                guard receivedCount > ownReceivedFields else { continue }
                if case .named(let host) = id, ReceivedField(text).isLocalHandover(at: host) { continue }
                break walk
            }
        }
        switch id {
        case .named(let name):
            let ours = fields.compactMap { $0 }.filter { $0.authservID == name.lowercased() }
            return verdict(sender: sender, fields: ours, server: name)
        case .topmostWithoutID:
            guard let topmost = fields.first ?? nil, topmost.authservID == nil else {
                return .untrusted(
                    "the topmost Authentication-Results field is missing, unreadable or bears a server's name")
            }
            return verdict(sender: sender, fields: [topmost], server: "the topmost field")
        }
    }

    private static func verdict(sender: EmailAddress, fields: [AuthenticationResults], server: String) -> Verdict {
        guard !fields.isEmpty else {
            return .untrusted("no Authentication-Results of \(server) stands above the first untrusted Received")
        }
        let dmarc = fields.flatMap(\.results).filter { $0.method == "dmarc" }
        guard !dmarc.isEmpty else { return .untrusted("\(server) gives no dmarc result") }
        for result in dmarc {
            // One that is not a clean pass for this very domain spoils all: results that contradict each other prove nothing.
            guard result.value == "pass" else { return .untrusted("\(server) says dmarc=\(result.value)") }
            let domains = result.properties.filter { $0.name == "header.from" }.map(\.value)
            guard domains.count == 1, let domain = domains.first.flatMap(Self.domain), domain == sender.domain else {
                let shown = domains.isEmpty ? "no domain" : domains.joined(separator: ", ")
                return .untrusted("\(server) says dmarc=pass for \(shown), not for \(sender.domain)")
            }
        }
        return .trusted("\(server) says dmarc=pass for \(sender.domain)")
    }

    /// Some servers write the whole address.
    private static func domain(_ value: String) -> String? {
        DomainName.aLabels(String(value[(value.lastIndex(of: "@").map(value.index(after:)) ?? value.startIndex)...]))
    }
}
