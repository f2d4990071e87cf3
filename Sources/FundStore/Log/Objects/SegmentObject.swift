internal import FundCore
internal import ObjectStorage

/// The name of a segment as an object: its number, and a nonce that no other attempt to put it has. An object is put
/// once and never changes, so that what was read of it stays true.
struct SegmentObject: Hashable, Sendable, CustomStringConvertible {
    var number: SegmentNumber
    var nonce: UInt64

    init(_ number: SegmentNumber, nonce: UInt64 = .random(in: .min ... .max)) {
        (self.number, self.nonce) = (number, nonce)
    }

    /// Reads `0000000012-00c0ffee00c0ffee`; nil for any other name.
    init?(_ name: some StringProtocol) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt32(parts[0]), number > 0, let nonce = UInt64(parts[1], radix: 16)
        else {
            return nil
        }
        (self.number, self.nonce) = (SegmentNumber(number), nonce)
        guard description == name else { return nil }
    }

    /// With zeros before the numbers: listings are in the order of the segments.
    var description: String {
        "\(String(number.value).zeroPadded(to: 10))-\(String(nonce, radix: 16).zeroPadded(to: 16))"
    }
}
