/// A value of a row in the binary form of its type, for the time in which its result is held.
package struct PostgreSQLColumn {
    package let type: PostgreSQLType
    let content: UnsafeRawBufferPointer

    /// A whole number: of any integer type, of a boolean, and of a `numeric` without a fraction, which is what the sum
    /// of a `bigint` column gives. Nil for others, and for one that is out of range.
    package var integer: Int64? {
        switch (type, content.count) {
        case (.int8, 8), (.xid8, 8): number(of: Int64.self)
        case (.int4, 4): Int64(number(of: Int32.self))
        case (.int2, 2): Int64(number(of: Int16.self))
        case (.oid, 4): Int64(number(of: UInt32.self))
        case (.bool, 1): content[0] == 0 ? 0 : 1
        case (.numeric, 8...): wholeNumeric
        default: nil
        }
    }

    package var text: String? { type.isText ? String(decoding: content, as: UTF8.self) : nil }

    package var bytes: [UInt8]? { type == .bytea ? Array(content) : nil }

    private func number<Number: FixedWidthInteger>(of: Number.Type, at offset: Int = 0) -> Number {
        Number(bigEndian: content.loadUnaligned(fromByteOffset: offset, as: Number.self))
    }

    /// Digits to the base of 10,000 after their count, the weight of the first, a sign and the number of decimals shown
    /// (`numeric_send` in PostgreSQL's numeric.c).
    private var wholeNumeric: Int64? {
        let base: Int64 = 10_000
        let (positive, negative): (UInt16, UInt16) = (0x0000, 0x4000)
        let (headBytes, digitBytes) = (8, 2)
        let count = Int(number(of: Int16.self))
        let weight = Int(number(of: Int16.self, at: 2))
        let sign = number(of: UInt16.self, at: 4)
        guard count >= 0, content.count == headBytes + count * digitBytes, [positive, negative].contains(sign) else {
            return nil
        }
        var value: Int64 = 0
        for index in 0..<max(count, weight + 1) {
            let digit = index < count ? Int64(number(of: Int16.self, at: headBytes + index * digitBytes)) : 0
            guard index <= weight else {
                if digit != 0 { return nil }
                continue
            }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: base)
            let (sum, isOver) = product.subtractingReportingOverflow(digit)
            guard !isTooLarge, !isOver else { return nil }
            value = sum
        }
        guard sign == positive else { return value }
        let (opposite, isOver) = (0 as Int64).subtractingReportingOverflow(value)
        return isOver ? nil : opposite
    }
}
