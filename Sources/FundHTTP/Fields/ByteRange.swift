internal import FundCore

/// The range of a content of known size that a `Range` field asks for (RFC 9110 §14.1.2). Only single ranges are
/// served.
package enum ByteRange: Equatable {
    /// Several ranges, another unit, or no valid range: the whole content is sent (§14.2).
    case whole
    /// A range within the content, not empty.
    case part(Range<Int64>)
    /// The range lies outside the content or ends before it begins: 416 (§15.5.17).
    case unsatisfiable

    package init(_ field: String, size: Int64) {
        let text = field.utf8.filter { !ASCII.isBlank($0) }
        let unit = Array("bytes=".utf8)
        guard text.count > unit.count, text.prefix(unit.count).map({ $0 | 0x20 }) == unit.map({ $0 | 0x20 }) else {
            self = .whole
            return
        }
        let specifier = text.dropFirst(unit.count)
        let bounds = specifier.split(separator: .hyphen, omittingEmptySubsequences: false)
        guard bounds.count == 2, bounds.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }) else {
            self = .whole
            return
        }
        self = Self.range(first: Self.number(bounds[0]), last: Self.number(bounds[1]), size: size)
    }

    private static func range(first: Int64?, last: Int64?, size: Int64) -> ByteRange {
        switch (first, last) {
        case (nil, nil): return .whole
        case (nil, let suffix?):
            guard suffix > 0, size > 0 else { return .unsatisfiable }
            return .part(max(0, size - min(suffix, size))..<size)
        case (let first?, let last):
            guard first < size, first <= last ?? .max else { return .unsatisfiable }
            return .part(first..<(min(last ?? .max, size - 1) + 1))
        }
    }

    /// Nil without digits. A number too large for any file is `Int64.max`.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.isEmpty ? nil : Int64(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
