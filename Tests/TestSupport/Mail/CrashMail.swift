/// Mail for crash tests: every outcome, files that came before and files that are new, and duplicates of both kinds.
/// What is stored of it does not depend on the order in which the messages are taken apart.
package enum CrashMail {
    package struct Message: Sendable {
        package var name: String
        package var bytes: [UInt8]
        /// `filed`, `misrouted`, `rejected` or `duplicate`, when replayed once into an empty store.
        package var outcome: String

        package init(name: String, bytes: [UInt8], outcome: String) {
            (self.name, self.bytes, self.outcome) = (name, bytes, outcome)
        }
    }

    package static let users = ["ann@example.com", "bob@example.com"]
    package static let funds = [
        ("ann@example.com", "Fund1"), ("ann@example.com", "Alpha Growth"), ("bob@example.com", "Fund1"),
    ]

    /// `count` messages and a tenth more of duplicates, which stand at the end, so that never two of a kind are on
    /// their way at once. `fileBytes` is the size of an attachment.
    package static func messages(_ count: Int, fileBytes: Int = 3000) -> [Message] {
        var messages = (0..<count).map { number in
            let (fields, outcome) = kind(number)
            return Message(
                name: "m\(padded(number)).eml", bytes: bytes(number, fields: fields, fileBytes: fileBytes),
                outcome: outcome)
        }
        for number in stride(from: 0, to: count, by: 10) {
            let first = messages[number]
            let trace = number % 20 == 0 ? [] : Array("Received: from elsewhere by another; \(number)\n".utf8)
            messages.append(
                Message(name: "z\(padded(number)).eml", bytes: trace + first.bytes, outcome: "duplicate"))
        }
        return messages
    }

    private static func kind(_ number: Int) -> (fields: String, outcome: String) {
        switch number % 8 {
        case 5: ("From: ann@example.com\nSubject: without a tag \(number)\n", "misrouted")
        case 6: ("From: ann@example.com\nSubject: [Fund9] \(number)\n", "misrouted")
        case 7: ("From: ann@example.com\nSubject: [Fund1] \(number)\nAuto-Submitted: auto-replied\n", "rejected")
        case 1, 3: ("From: bob@example.com\nSubject: [Fund1] report \(number)\n", "filed")
        default: ("From: Ann <ann@example.com>\nSubject: Re: [alpha  growth] report \(number)\n", "filed")
        }
    }

    private static func bytes(_ number: Int, fields: String, fileBytes: Int) -> [UInt8] {
        let head = """
            To: funds@corp.example
            Date: Tue, 01 Sep 2026 10:00:00 +0200
            Message-ID: <crash.\(number)@example.com>
            MIME-Version: 1.0

            """
        guard number % 3 != 2 else {
            return Array((fields + head + "Content-Type: text/plain\n\nHello \(number).\n").utf8)
        }
        var parts = "--b\nContent-Type: text/plain\n\nHello \(number).\n"
        // Every seventh file is one that others have too; names are each message's own.
        for index in 0..<(1 + number % 2) {
            let content = file(number % 7 == 0 ? 0 : number * 2 + index + 1, fileBytes)
            parts += "--b\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n"
            parts += "Content-Disposition: attachment; filename=\"f\(number)-\(index).pdf\"\n\n\(content)\n"
        }
        return Array((fields + head + "Content-Type: multipart/mixed; boundary=b\n\n\(parts)--b--\n").utf8)
    }

    /// Base64 of `size` bytes that no other `seed` has.
    private static func file(_ seed: Int, _ size: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        var text: [UInt8] = []
        while text.count < size * 4 / 3 {
            for _ in 0..<76 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text.append(alphabet[Int(state >> 58)])
            }
            text.append(10)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func padded(_ number: Int) -> String {
        String(repeating: "0", count: max(0, 5 - String(number).count)) + String(number)
    }
}
