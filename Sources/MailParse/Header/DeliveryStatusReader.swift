import FundCore

/// Reads the content of a `message/delivery-status` (RFC 3464 §2.1): groups of fields with empty lines between them,
/// the first about the message, each other one about a recipient.
enum DeliveryStatusReader {
    /// Limit of the content that is read: reports have a few hundred bytes.
    static let maxBytes = 64 * 1024

    /// Nil where no group tells of a recipient.
    static func report(_ content: [UInt8]) -> DeliveryReport? {
        var entries: [DeliveryReport.Entry] = []
        var fields: [String: String] = [:]
        var name: String?
        func endGroup() {
            if let action = fields["action"].map({ word($0) }), entries.count < DeliveryReport.maxEntries {
                entries.append(
                    DeliveryReport.Entry(
                        action: action, status: word(fields["status"] ?? ""),
                        diagnostic: fields["diagnostic-code"].flatMap(diagnostic)))
            }
            (fields, name) = ([:], nil)
        }
        for line in content.prefix(maxBytes).split(separator: .lf, omittingEmptySubsequences: false) {
            let line = line.last == .cr ? line.dropLast() : line
            if line.allSatisfy(ASCII.isBlank) {
                endGroup()
            } else if let first = line.first, ASCII.isBlank(first) {
                // Folded (RFC 5322 §2.2.3).
                if let name { fields[name, default: ""] += " " + text(line) }
            } else if let colon = line.firstIndex(of: .colon) {
                let key = ASCII.lowercased(ASCII.trimmed(line[..<colon]))
                name = fields[key] == nil ? key : nil
                if name != nil { fields[key] = text(line[(colon + 1)...]) }
            } else {
                name = nil
            }
        }
        endGroup()
        return entries.isEmpty ? nil : DeliveryReport(entries: entries)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: ASCII.trimmed(bytes), as: UTF8.self).label.prefix(bytes: DeliveryReport.maxTextBytes)
    }

    /// The first word, in lower case: comments may stand behind it.
    private static func word(_ text: String) -> String {
        ASCII.lowercased(text.utf8.prefix { !ASCII.isSpace($0) && $0 != UInt8(ascii: "(") }.prefix(40))
    }

    /// The words behind `smtp;` (RFC 3464 §2.3.6); nil for none.
    private static func diagnostic(_ text: String) -> String? {
        var words = text[...]
        if let semicolon = text.utf8.firstIndex(of: UInt8(ascii: ";")),
            text.utf8[..<semicolon].allSatisfy({ ASCII.isAlphanumeric($0) || $0 == .hyphen })
        {
            words = text[text.index(after: semicolon)...]
        }
        let trimmed = words.trimmed
        return trimmed.isEmpty ? nil : trimmed.prefix(bytes: DeliveryReport.maxTextBytes)
    }
}
