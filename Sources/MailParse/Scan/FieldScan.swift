import FundCore

/// State of one header field while its lines come in.
struct FieldScan {
    /// With line ends.
    private(set) var count = 0
    private(set) var isField = false
    private(set) var isAddress = false
    private(set) var isContentType = false
    /// The lines of a Content-Type, with line ends.
    private(set) var contentType: [UInt8] = []
    /// Colons of an address field, with the one that ends the name.
    private(set) var colons = 0

    init() {}

    init(line: UnsafeRawBufferPointer) {
        // The name ends where a C string or a careless reader would end it, so that `To\0:` counts as `To`.
        let nameEnd = line.firstIndex { $0 == .colon || $0 <= .space } ?? line.count
        isField = Self.nameEnd(line, isStrict: false) != nil
        if nameEnd <= Self.maxNameBytes {
            let name = ASCII.lowercased(line[..<nameEnd])
            isAddress = Self.addressFields.contains(name) || name.hasPrefix("resent-")
            isContentType = name == "content-type"
        }
        append(line)
    }

    mutating func append(_ line: UnsafeRawBufferPointer) {
        count += line.count + 1
        if isContentType {
            contentType.append(contentsOf: line)
            contentType.append(.lf)
        }
        if isAddress { colons += line.count { $0 == .colon } }
    }

    /// Where the name ends. Strict: printable ASCII, then white space, then a colon (RFC 5322 §4.5); else any colon.
    static func nameEnd(_ line: UnsafeRawBufferPointer, isStrict: Bool) -> Int? {
        guard let colon = line.firstIndex(of: .colon), colon > 0 else { return nil }
        guard isStrict else { return colon }
        var end = colon
        while end > 0, ASCII.isBlank(line[end - 1]) { end -= 1 }
        return end > 0 && line[..<end].allSatisfy { ASCII.isVisible($0) } ? end : nil
    }

    /// The names that are looked for are shorter.
    private static let maxNameBytes = 40
    private static let addressFields: Set<String> = [
        "from", "to", "cc", "bcc", "sender", "reply-to", "return-path", "errors-to", "disposition-notification-to",
        "mail-followup-to", "mail-reply-to", "return-receipt-to", "apparently-to", "delivered-to", "envelope-to",
        "x-original-to", "for-comment",
    ]
}

/// Findings of a header about the structure below it.
struct HeaderFindings {
    private(set) var boundaries: [UInt64] = []
    private(set) var longestBoundary = 0
    private(set) var hasOddBoundary = false
    private(set) var hasContentType = false
    private(set) var isMessage = false
    private(set) var isDigest = false

    mutating func take(_ field: FieldScan) {
        guard field.isField, field.isContentType else { return }
        hasContentType = true
        let lower = field.contentType.map { ASCII.lowercased($0) }
        isMessage = isMessage || Boundary.namesMessage(lower)
        isDigest = isDigest || ASCII.firstIndex(of: Array("digest".utf8), in: lower) != nil
        for found in Boundary.declared(in: field.contentType) {
            switch found {
            case .plain(let value):
                longestBoundary = max(longestBoundary, value.count)
                value.withUnsafeBytes { boundaries.append(Boundary.key($0)) }
            case .odd: hasOddBoundary = true
            }
        }
    }
}
