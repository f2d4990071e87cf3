/// Names a history of a store: another one from the moment on at which the store went on from an earlier state of
/// itself. Neither its size nor the distance between two says anything.
package struct HistoryID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// 16 hexadecimal digits.
    package var description: String { String(UInt64(bitPattern: rawValue), radix: 16).zeroPadded(to: 16) }
}
