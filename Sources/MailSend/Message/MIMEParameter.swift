internal import FundCore

/// Parameters of the fields of MIME. A value that is long or beyond plain ASCII is encoded (RFC 2231).
enum MIMEParameter {
    /// Bytes of a value in one line: with the name and the number in front of it, it stays below 76.
    private static let maxBytes = 56

    /// One parameter, in pieces that each fit a line: `filename="a.pdf"`, or `filename*0*=utf-8''…`, `filename*1*=…`.
    static func pieces(_ name: String, _ value: String) -> [String] {
        if value.utf8.count <= maxBytes, isQuotable(value) { return ["\(name)=\"\(value)\""] }
        var pieces: [String] = []
        var piece = "utf-8''"
        for scalar in value.unicodeScalars {
            let next = String(scalar).utf8.map(encoded).joined()
            if piece.utf8.count + next.utf8.count > maxBytes {
                pieces.append(piece)
                piece = ""
            }
            piece += next
        }
        pieces.append(piece)
        guard pieces.count > 1 else { return ["\(name)*=\(pieces[0])"] }
        return pieces.enumerated().map { "\(name)*\($0)*=\($1)" }
    }

    /// Whether every reader finds the value between quotes: no escapes, nothing that looks encoded, and no blank at an
    /// end, which some take off.
    private static func isQuotable(_ value: String) -> Bool {
        guard let first = value.utf8.first, let last = value.utf8.last, first != .space, last != .space else {
            return false
        }
        return value.utf8.allSatisfy { ($0 == .space || ASCII.isVisible($0)) && !"\"\\%'*=?".utf8.contains($0) }
    }

    /// `attribute-char` of RFC 2231 §7 as it is, and others by their number.
    private static func encoded(_ byte: UInt8) -> String {
        ASCII.isAlphanumeric(byte) || "!#$&+-.^_`{|}~".utf8.contains(byte)
            ? String(Unicode.Scalar(byte)) : "%\(TransferCoding.hex(byte))"
    }
}
