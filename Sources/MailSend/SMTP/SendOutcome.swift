/// The end of an attempt to hand a letter to the server.
package enum SendOutcome: Sendable, Hashable {
    /// The server took it, and answers for it now (RFC 5321 §4.2.5).
    case sent(SMTPReply)
    /// The server refused it for now.
    case deferred(SMTPReply)
    /// The server refused it for good.
    case failed(SMTPReply)
    /// The server refused the sender for good: it takes no letter from it, whatever the letter.
    ///
    /// - Parameter isHeldBack: it said so behind `MAIL FROM`. It may pass on what another server says, and that may be
    ///   about this recipient alone.
    case senderRefused(SMTPReply, isHeldBack: Bool)
    /// The whole letter went out, and no answer came: the server may have it or not. A second attempt may make two of
    /// it (RFC 1047). The text says why no answer came.
    case uncertain(String)

    /// The outcome by the reply that refused or took the letter.
    init(_ reply: SMTPReply) {
        self = reply.isPositive ? .sent(reply) : reply.isTransient ? .deferred(reply) : .failed(reply)
    }

    /// The outcome by the reply that refused an envelope.
    ///
    /// `MAIL FROM` tells nothing of the letter but its size (RFC 1870 §6.1). Servers such as Postfix hold a refusal of
    /// the sender back until `RCPT TO`, where its enhanced code tells it from one of the recipient.
    ///
    /// - Parameter isOfSender: the reply is to `MAIL FROM`.
    init(refusal reply: SMTPReply, isOfSender: Bool) {
        let refusesSender = isOfSender ? !reply.refusesSize : reply.refusesSender
        self =
            refusesSender && !reply.isTransient
            ? .senderRefused(reply, isHeldBack: !isOfSender) : SendOutcome(reply)
    }
}
