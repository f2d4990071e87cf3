/// The end of an attempt to hand a letter to the server.
package enum SendOutcome: Sendable, Hashable {
    /// The server took it, and answers for it now (RFC 5321 §4.2.5).
    case sent(SMTPReply)
    /// The server refused it for now.
    case deferred(SMTPReply)
    /// The server refused it for good.
    case failed(SMTPReply)
    /// The whole letter went out, and no answer came: the server may have it or not. A second attempt may make two of
    /// it (RFC 1047). The text says why no answer came.
    case uncertain(String)

    /// The outcome by the reply that refused or took the letter.
    init(_ reply: SMTPReply) {
        self = reply.isPositive ? .sent(reply) : reply.isTransient ? .deferred(reply) : .failed(reply)
    }
}
