import FundCore

/// The certificates of a PEM file (RFC 7468 §5), in their order.
struct PEMText {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Each with its lines of encapsulation.
    let certificates: [String]

    init(_ text: String) {
        certificates = text.split(separator: Self.begin, omittingEmptySubsequences: false).dropFirst().compactMap {
            part in
            part.firstRange(of: Self.end).map { Self.begin + part[..<$0.lowerBound] + Self.end + "\n" }
        }
    }

    /// The certificates as DER; nil when one is no Base64.
    var binary: [[UInt8]]? {
        let decoded = certificates.map { certificate in
            let lines = certificate.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
            return Base64.bytes(lines.joined().filter { !$0.isWhitespace })
        }
        return decoded.contains(nil) ? nil : decoded.compactMap { $0 }
    }
}
