/// UIDs as commands write them: `3,7:9` (RFC 3501 §9 `sequence-set`).
enum UIDSet {
    /// RFC 2683 §3.2.1.5: a command should stay below 1,000 octets.
    static let maxTextBytes = 900
    /// The longest run: `,4294967294:4294967295`.
    static let maxRunBytes = 22

    /// The sets that name exactly these, which come ascending, each short enough for a command.
    static func texts(_ uids: some Sequence<UID>, maxBytes: Int = maxTextBytes) -> [(text: String, uids: [UID])] {
        var sets: [(String, [UID])] = []
        var (text, members): (String, [UID]) = ("", [])
        var run: (first: UID, last: UID)?
        func close() {
            guard let ended = run else { return }
            text += (text.isEmpty ? "" : ",")
            text += ended.first == ended.last ? "\(ended.first)" : "\(ended.first):\(ended.last)"
            run = nil
        }
        for uid in uids {
            if let open = run, open.last.next == uid {
                run = (open.first, uid)
            } else {
                close()
                if text.utf8.count > maxBytes - maxRunBytes {
                    sets.append((text, members))
                    (text, members) = ("", [])
                }
                run = (uid, uid)
            }
            members.append(uid)
        }
        close()
        if !text.isEmpty { sets.append((text, members)) }
        return sets
    }
}
