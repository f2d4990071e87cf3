/// UIDs as commands write them: `3,7:9` (RFC 3501 §9 `sequence-set`).
enum UIDSet {
    /// RFC 2683 §3.2.1.5: a command should stay below 1,000 octets.
    static let maxTextBytes = 900

    /// The sets that name exactly these, which come ascending, each short enough for a command.
    static func texts(_ uids: some Sequence<UInt32>, maxBytes: Int = maxTextBytes) -> [(text: String, uids: [UInt32])] {
        var sets: [(String, [UInt32])] = []
        var (text, members): (String, [UInt32]) = ("", [])
        var run: ClosedRange<UInt32>?
        func written(_ run: ClosedRange<UInt32>) -> String {
            run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound):\(run.upperBound)"
        }
        func close() {
            guard let ended = run else { return }
            text += (text.isEmpty ? "" : ",") + written(ended)
            members += Array(ended)
            run = nil
        }
        for uid in uids {
            if let open = run, open.upperBound < .max, open.upperBound + 1 == uid {
                run = open.lowerBound...uid
                continue
            }
            close()
            if text.utf8.count > maxBytes - 22 {
                sets.append((text, members))
                (text, members) = ("", [])
            }
            run = uid...uid
        }
        close()
        if !text.isEmpty { sets.append((text, members)) }
        return sets
    }
}
