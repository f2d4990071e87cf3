/// Where a message is in an IMAP mailbox: `uidvalidity/uid` (RFC 3501 §2.3.1.1). Never used twice by a server that keeps the rules.
struct IMAPPlace: Hashable {
    var epoch: UInt32
    var uid: UInt32

    init(epoch: UInt32, uid: UInt32) {
        self.epoch = epoch
        self.uid = uid
    }

    init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let epoch = UInt32(text[..<slash]),
            let uid = UInt32(text[text.index(after: slash)...]), uid > 0
        else { return nil }
        self.init(epoch: epoch, uid: uid)
    }

    var text: String { "\(epoch)/\(uid)" }
}
