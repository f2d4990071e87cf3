internal import FundCore
internal import HTTPTypes

extension HTTPRequest {
    /// Whether the client waits for 100 (Continue) before it sends the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool { headerFields[.expect]?.lowercased() == "100-continue" }

    /// Percent-encodes a target that is not ASCII (RFC 3986 §2): HTTP/2 carries any bytes, which the router would
    /// compare slowly.
    mutating func encodeTarget() {
        guard let path, !path.utf8.allSatisfy({ $0 < 0x80 }) else { return }
        self.path = PercentCoding.encoded(path) { $0 < 0x80 }
    }
}
