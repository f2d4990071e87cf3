import FundCore

/// How the bytes of a part were made fit for transport (RFC 2045 §6).
enum TransferEncoding: Equatable {
    /// 7bit, 8bit, binary, none, and unknown names.
    case identity
    case base64, quotedPrintable, uuencode

    /// The value of `Content-Transfer-Encoding`: a token, with comments and quotes taken off as GMime does.
    init(_ value: [UInt8]) {
        let token = value.drop { ASCII.isBlank($0) || $0 == .quote }.prefix {
            $0 > .space && $0 != .semicolon && $0 != .openParenthesis && $0 != .quote
        }
        switch String(decoding: token, as: UTF8.self).lowercased() {
        case "base64", "base-64": self = .base64
        case "quoted-printable", "quotedprintable", "quoted_printable": self = .quotedPrintable
        case "x-uuencode", "uuencode", "x-uue", "uue", "x-uu": self = .uuencode
        default: self = .identity
        }
    }
}

/// Takes one transfer encoding off bytes that come in pieces.
protocol StreamDecoder {
    /// Appends what is certain by now.
    mutating func decode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8])
    /// Appends what was held back; nothing comes after it.
    mutating func finish(into output: inout [UInt8])
}
