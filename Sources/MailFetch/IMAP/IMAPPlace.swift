/// Where a message is in an IMAP mailbox: `uidvalidity/uid` (RFC 3501 §2.3.1.1). Never used twice by a server that keeps the rules.
struct IMAPPlace: Hashable {
    var epoch: UIDValidity
    var uid: UID

    init(epoch: UIDValidity, uid: UID) {
        self.epoch = epoch
        self.uid = uid
    }

    init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let epoch = UIDValidity(text[..<slash]),
            let uid = UID(text[text.index(after: slash)...])
        else { return nil }
        self.init(epoch: epoch, uid: uid)
    }

    var text: String { "\(epoch)/\(uid)" }
}
