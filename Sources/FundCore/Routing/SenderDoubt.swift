/// The finding for which the trust check does not confirm the sender of a mail.
package enum SenderDoubt: Sendable, Hashable {
    /// The field `From` names no single address.
    case noSender
    /// The results of our mail server do not follow RFC 8601.
    case unreadableResults(server: String)
    /// Our mail server wrote no results on the mail.
    case noResults(server: String)
    /// The topmost results are missing, unreadable or of a server with a name, where ours has none.
    case noTopmostResults
    /// The results hold none of DMARC. Server nil: the topmost field.
    case noDMARC(server: String?)
    /// DMARC was checked, and did not pass: `fail`, `none` and others.
    case failed(server: String?, result: String)
    /// DMARC passed for other domains than the sender's.
    case otherDomain(server: String?, domains: [String], sender: String)

    /// In English: for the command line and the web API.
    package var text: String {
        switch self {
        case .noSender: "From names no single address"
        case .unreadableResults(let server):
            "an Authentication-Results of \(server) stands above the first untrusted Received and cannot be read: it "
                + "does not follow RFC 8601"
        case .noResults(let server):
            "no Authentication-Results of \(server) stands above the first untrusted Received"
        case .noTopmostResults:
            "the topmost Authentication-Results field is missing, unreadable or bears a server's name"
        case .noDMARC(let server): "\(Self.name(server)) gives no dmarc result"
        case .failed(let server, let result): "\(Self.name(server)) says dmarc=\(result)"
        case .otherDomain(let server, let domains, let sender):
            "\(Self.name(server)) says dmarc=pass for "
                + (domains.isEmpty ? "no domain" : domains.joined(separator: ", ")) + ", not for \(sender)"
        }
    }

    private static func name(_ server: String?) -> String { server ?? "the topmost field" }
}
