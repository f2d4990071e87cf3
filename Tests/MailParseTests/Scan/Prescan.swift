import FundCore

@testable import MailParse

/// The scan over bytes in memory, as one piece.
enum Prescan {
    static func scan(_ bytes: [UInt8], limits: ParseLimits) -> PrescanVerdict {
        var scanner = StructureScanner(limits: limits)
        bytes.withUnsafeBytes { scanner.feed($0) }
        return scanner.verdict(messageBytes: Int64(bytes.count))
    }
}
