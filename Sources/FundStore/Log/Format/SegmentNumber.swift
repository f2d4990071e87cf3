internal import FundCore

/// The number of a segment of the log, from 1 on.
struct SegmentNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: UInt32

    init(_ value: UInt32) { self.value = value }

    /// Reads `000012.seg`; nil for any other name.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix), let value = UInt32(fileName.dropLast(Self.suffix.count)), value > 0
        else { return nil }
        self.value = value
        guard self.fileName == fileName else { return nil }
    }

    var fileName: String { String(value).zeroPadded(to: 6) + Self.suffix }
    /// Name in the store's folder.
    var nameInStore: String { "\(StoreLocation.logName)/\(fileName)" }
    /// The part that each name of a segment has in it, also when more stands before or behind it: `log-000003.seg`,
    /// `000003.seg.bak`.
    static let suffix = ".seg"

    var description: String { "segment \(value)" }

    static func < (first: Self, second: Self) -> Bool { first.value < second.value }
}
