internal import FundCore

/// Whether a server that we trust vouches for the sender's domain (RFC 8601, RFC 7489) or login (RFC 4954).
enum SenderTrust {
    enum Verdict: Equatable {
        case trusted(String)
        case untrusted(SenderDoubt)
    }

    static func verdict(sender: EmailAddress, trace: [TraceField], policy: TrustPolicy) -> Verdict {
        guard case .dmarc(let id, let ownReceivedFields, let submissionDomains) = policy else {
            return .trusted("the administrator vouches for the sender")
        }
        let evidence = TrustEvidence(trace, id: id, ownReceivedFields: ownReceivedFields)
        let verdict = verdict(sender: sender, evidence, id: id)
        guard case .untrusted = verdict, submissionDomains.contains(sender.domain), case .named(let server) = id,
            let login = login(of: sender, evidence, isOnlyDomain: submissionDomains.count == 1)
        else { return verdict }
        return .trusted("\(server) says auth=pass for \(login)")
    }

    // MARK: DMARC

    private static func verdict(
        sender: EmailAddress, _ evidence: TrustEvidence, id: TrustPolicy.AuthservID
    ) -> Verdict {
        let fields = evidence.fields
        let server: String?
        switch id {
        case .named(let name):
            server = name
            guard !evidence.isUnreadable else { return .untrusted(.unreadableResults(server: name)) }
            guard !fields.isEmpty else { return .untrusted(.noResults(server: name)) }
        case .topmostWithoutID:
            server = nil
            guard !fields.isEmpty else { return .untrusted(.noTopmostResults) }
        }
        let dmarc = fields.flatMap(\.results).filter { $0.method == "dmarc" }
        guard !dmarc.isEmpty else { return .untrusted(.noDMARC(server: server)) }
        for result in dmarc {
            // One that is not a pass for exactly this domain voids the others: contradictions prove nothing.
            guard result.value == "pass" else {
                return .untrusted(.failed(server: server, result: result.value))
            }
            let domains = domains(of: result)
            guard domains.count == 1, let domain = domains.first.flatMap(Self.domain), domain == sender.domain else {
                return .untrusted(.otherDomain(server: server, domains: domains, sender: sender.domain))
            }
        }
        return .trusted("\(server ?? "the topmost field") says dmarc=pass for \(sender.domain)")
    }

    /// The domains of a dmarc result: `header.from` (RFC 8601 §2.7.4); Cisco ESA writes `d`, others `header.d`.
    private static func domains(of result: AuthenticationResults.Result) -> [String] {
        let named = result.values(of: "header.from")
        return named.isEmpty ? result.values(of: "header.d") + result.values(of: "d") : named
    }

    /// Some servers write the whole address.
    private static func domain(_ value: String) -> String? {
        DomainName.aLabels(String(value[(value.lastIndex(of: "@").map(value.index(after:)) ?? value.startIndex)...]))
    }

    // MARK: Login

    /// The login by which the sender handed in the message, as the server wrote it. Nil unless the topmost field of the
    /// server reports a login, one of its own `Received` fields does, and the login is the sender's address.
    private static func login(of sender: EmailAddress, _ evidence: TrustEvidence, isOnlyDomain: Bool) -> String? {
        // A field below the topmost may have come with the message, if the server does not remove such fields.
        guard evidence.hasLogin, let topmost = evidence.fields.first else { return nil }
        let all = evidence.fields.flatMap(\.results).filter { $0.method == "auth" }
        let results = topmost.results.filter { $0.method == "auth" }
        guard let result = results.first, results.count == 1, all.count == 1, result.value == "pass" else { return nil }
        guard result.values(of: "header.from").allSatisfy({ Self.domain($0) == sender.domain }) else { return nil }
        let logins = result.values(of: "smtp.auth")
        guard logins.count == 1, let login = logins.first else { return nil }
        let named = login.contains("@") || !isOnlyDomain ? login : "\(login)@\(sender.domain)"
        return EmailAddress(named) == sender ? login : nil
    }
}
