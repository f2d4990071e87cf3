/// A list of MAPI properties as it stands in a TNEF attribute (MS-OXTNEF §2.1.3.4).
enum MAPIProperties {
    struct Property {
        var type: UInt16
        var id: UInt16
        /// Range of the first value.
        var data: Range<Int>
        /// Value of a PtypInteger32.
        var number: UInt32?
    }

    static let object: UInt16 = 0x000D
    static let string8: UInt16 = 0x001E
    static let unicode: UInt16 = 0x001F
    private static let binary: UInt16 = 0x0102
    private static let isMultiple: UInt16 = 0x1000

    /// Gives each property; false when the list is not whole or holds an unknown type.
    static func read(_ list: ByteCursor, _ take: (Property) -> Void) -> Bool {
        var list = list
        guard let count = list.u32() else { return false }
        for _ in 0..<count {
            guard let type = list.u16(), let id = list.u16() else { return false }
            if id >= 0x8000, !skipName(&list) { return false }
            guard let property = value(type, id, &list) else { return false }
            take(property)
        }
        return true
    }

    /// A named property: its namespace, and a number or a text.
    private static func skipName(_ list: inout ByteCursor) -> Bool {
        guard list.take(16) != nil, let kind = list.u32(), let value = list.u32() else { return false }
        return kind == 0 || padded(value, &list) != nil
    }

    private static func value(_ type: UInt16, _ id: UInt16, _ list: inout ByteCursor) -> Property? {
        let base = type & ~isMultiple
        let isVariable = [object, string8, unicode, binary].contains(base)
        var count: UInt32 = 1
        if isVariable || type & isMultiple != 0 {
            guard let given = list.u32() else { return nil }
            count = given
        }
        var first: Range<Int>?
        for _ in 0..<count {
            let data: Range<Int>?
            if isVariable {
                data = list.u32().flatMap { padded($0, &list) }
            } else {
                data = width(base).flatMap { list.take($0) }
            }
            guard let data else { return nil }
            first = first ?? data
        }
        var number: UInt32?
        if base == 0x0003, let first {
            var value = list.cursor(first)
            number = value.u32()
        }
        return Property(type: base, id: id, data: first ?? 0..<0, number: number)
    }

    /// Values fill up to four bytes.
    private static func padded(_ count: UInt32, _ list: inout ByteCursor) -> Range<Int>? {
        guard let data = list.take(Int(count)) else { return nil }
        // The padding of the very last value is missing now and then.
        _ = list.take((4 - Int(count) % 4) % 4)
        return data
    }

    private static func width(_ type: UInt16) -> Int? {
        switch type {
        case 0x0001: 0
        case 0x0002, 0x0003, 0x0004, 0x000A, 0x000B: 4
        case 0x0005, 0x0006, 0x0007, 0x0014, 0x0040: 8
        case 0x0048: 16
        default: nil
        }
    }
}
