/// How the bytes of a part were made fit for transport (RFC 2045 §6).
enum TransferEncoding: Equatable {
    /// 7bit, 8bit, binary, none, and names that nobody knows.
    case identity
    case base64, quotedPrintable, uuencode

    /// The value of `Content-Transfer-Encoding`: a token, with comments and quotes taken off as GMime does.
    init(_ value: [UInt8]) {
        let token = value.drop { $0 == 32 || $0 == 9 || $0 == 34 }.prefix {
            $0 > 32 && $0 != 59 && $0 != 40 && $0 != 34
        }
        switch String(decoding: token, as: UTF8.self).lowercased() {
        case "base64", "base-64": self = .base64
        case "quoted-printable", "quotedprintable", "quoted_printable": self = .quotedPrintable
        case "x-uuencode", "uuencode", "x-uue", "uue", "x-uu": self = .uuencode
        default: self = .identity
        }
    }
}
