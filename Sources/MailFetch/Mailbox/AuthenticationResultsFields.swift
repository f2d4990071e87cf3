enum AuthenticationResultsFields {
    /// The values of all `Authentication-Results` in a header, on one line each (RFC 5322 §2.2.3).
    static func unfolded(_ header: [UInt8]) -> [String] {
        var fields: [String] = []
        var isOurs = false
        for line in header.split(separator: 10) {
            let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            if text.first == " " || text.first == "\t" {
                if isOurs { fields[fields.count - 1] += " " + text.drop { $0 == " " || $0 == "\t" } }
                continue
            }
            let name = text.prefix { $0 != ":" && $0 != " " }
            isOurs = name.lowercased() == "authentication-results"
            if isOurs { fields.append(String(text[name.endIndex...].drop { $0 == ":" || $0 == " " })) }
        }
        return fields
    }
}
