import FundCore

/// Text, and formats that are text.
enum TextType {
    /// - Parameter isWhole: the file has no more bytes; else a character may be cut off at the end.
    static func type(of bytes: [UInt8], isWhole: Bool) -> TrueType? {
        guard TextEncoding.of(bytes, isWhole: isWhole) != nil else { return nil }
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let start = ASCII.trimmed(content.prefix(64))
        if starts(start, "begin:vcalendar") { return .calendar }
        if starts(start, "begin:vcard") { return .card }
        return isMail(content, isWhole: isWhole) ? .mail : .text
    }

    private static func starts(_ bytes: ArraySlice<UInt8>, _ word: String) -> Bool {
        ASCII.lowercased(bytes.prefix(word.utf8.count)) == word
    }

    /// Fields of RFC 5322 §3.6 and of those that deliver, of which a mail has several.
    private static let mailFields: Set<String> = [
        "from", "to", "cc", "subject", "date", "received", "message-id", "return-path", "mime-version", "content-type",
        "delivered-to", "reply-to", "sender", "dkim-signature", "in-reply-to", "references", "x-mailer",
    ]
    /// Text that happens to begin with `Date: … Subject: …` has no two of these.
    private static let leastFields = 3
    /// Least number of fields in a header that goes on behind what was read.
    private static let leastFieldsOfPart = 2

    /// A header by RFC 5322 §2.2: lines `name: value` and continuations, up to an empty line or the end of `bytes`.
    /// However long a field is: a mail may have thousands of recipients.
    private static func isMail(_ bytes: [UInt8], isWhole: Bool) -> Bool {
        var (known, least): (Set<String>, Int) = ([], isWhole ? leastFields : leastFieldsOfPart)
        for (number, line) in bytes.split(separator: .lf, omittingEmptySubsequences: false).enumerated() {
            let line = line.last == .cr ? line.dropLast() : line
            guard let first = line.first else {
                least = leastFields
                break
            }
            // A continuation; a line that mbox and UUCP put in front.
            if number > 0, ASCII.isBlank(first) { continue }
            if number == 0, line.starts(with: "From ".utf8) { continue }
            guard let colon = line.firstIndex(of: .colon), colon > line.startIndex,
                line[..<colon].allSatisfy(ASCII.isVisible)
            else {
                least = leastFields
                break
            }
            let lower = ASCII.lowercased(line[..<colon])
            if mailFields.contains(lower), known.insert(lower).inserted, known.count == leastFields { return true }
        }
        return known.count >= least
    }
}
