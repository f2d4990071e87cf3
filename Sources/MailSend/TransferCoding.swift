internal import Foundation
internal import FundCore

/// Content as 7-bit lines (RFC 2045 §6).
enum TransferCoding: String {
    case sevenBit = "7bit"
    case quotedPrintable = "quoted-printable"
    case base64

    /// The coding that keeps text and is the shortest. `bytes`: lines that end in CRLF.
    static func ofText(_ bytes: [UInt8]) -> TransferCoding {
        if isPlain(bytes) { return .sevenBit }
        let escaped = bytes.count { $0 >= 0x7F || ($0 < .space && $0 != .cr && $0 != .lf) || $0 == .equals }
        return escaped * 6 <= bytes.count ? .quotedPrintable : .base64
    }

    func encoded(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sevenBit: bytes
        case .quotedPrintable: Self.quotedPrintable(bytes)
        case .base64: Self.base64Lines(bytes)
        }
    }

    /// Whether servers on the way leave the lines as they are: ASCII, short, without blanks at the end and without
    /// `From `, in front of which some put a `>`.
    private static func isPlain(_ bytes: [UInt8]) -> Bool {
        bytes.split(separator: .lf, omittingEmptySubsequences: false).allSatisfy { line in
            let line = line.last == .cr ? line.dropLast() : line
            return line.count <= maxTextLineBytes && !line.starts(with: fromMark)
                && line.last.map(ASCII.isBlank) != true
                && line.allSatisfy { $0 == .tab || $0 == .space || ASCII.isVisible($0) }
        }
    }

    /// RFC 5322 §2.1.1.
    private static let maxTextLineBytes = 78
    /// RFC 2045 §6.7, without the `=` that ends a line.
    private static let maxQuotedLineBytes = 75
    private static let fromMark = Array("From ".utf8)

    /// RFC 2045 §6.7.
    private static func quotedPrintable(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var column = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == .cr, index + 1 < bytes.endIndex, bytes[index + 1] == .lf {
                result += [.cr, .lf]
                column = 0
                index += 2
                continue
            }
            let isLast = index + 1 == bytes.endIndex || bytes[index + 1] == .cr
            let isLiteral =
                ASCII.isBlank(byte) ? !isLast : ASCII.isVisible(byte) && byte != .equals
            let count = isLiteral ? 1 : 3
            if column + count > maxQuotedLineBytes {
                result += [.equals, .cr, .lf]
                column = 0
            }
            if isLiteral, !(column == 0 && bytes[index...].starts(with: fromMark)) {
                result.append(byte)
                column += 1
            } else {
                result.append(.equals)
                result += hex(byte).utf8
                column += 3
            }
            index += 1
        }
        return result
    }

    private static func base64Lines(_ bytes: [UInt8]) -> [UInt8] {
        let options: Data.Base64EncodingOptions = [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ]
        return Array(Data(bytes).base64EncodedData(options: options)) + [.cr, .lf]
    }

    /// Bytes of a base64 line before their coding (RFC 2045 §6.8).
    private static let base64LineInput = 57

    /// The size of base64 in lines, each with its CRLF.
    ///
    /// - Parameter size: of what is coded, in bytes.
    static func base64Size(of size: Int) -> Int {
        (size + 2) / 3 * 4 + 2 * max(1, (size + base64LineInput - 1) / base64LineInput)
    }

    /// RFC 2045 §6.8 in one line, with padding.
    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Two digits, as capitals: RFC 2045 §6.7 and RFC 2047 §4.2 ask for them.
    static func hex(_ byte: UInt8) -> String {
        String(byte, radix: 16, uppercase: true).zeroPadded(to: 2)
    }
}
