/// Writes small TNEF streams (MS-OXTNEF) for tests.
struct TNEFBuilder {
    private(set) var bytes: [UInt8] = Self.u32(0x223E_9F78) + Self.u16(1)

    mutating func attribute(level: UInt8, _ id: UInt32, _ data: [UInt8]) {
        bytes += [level] + Self.u32(id) + Self.u32(UInt32(data.count)) + data
        bytes += Self.u16(data.reduce(0) { $0 &+ UInt16($1) })
    }

    /// An attachment with an 8.3 name, data, and properties such as its long name.
    mutating func attachment(title: String, data: [UInt8], _ properties: [[UInt8]] = []) {
        attribute(level: 2, 0x0006_9002, [UInt8](repeating: 0, count: 14))
        attribute(level: 2, 0x0001_8010, Array(title.utf8) + [0])
        attribute(level: 2, 0x0006_800F, data)
        attribute(level: 2, 0x0006_9005, Self.list(properties))
    }

    static func list(_ properties: [[UInt8]]) -> [UInt8] { u32(UInt32(properties.count)) + properties.flatMap { $0 } }

    static func unicode(_ id: UInt16, _ text: String) -> [UInt8] {
        value(0x001F, id, (text + "\0").utf16.flatMap { u16($0) })
    }

    static func value(_ type: UInt16, _ id: UInt16, _ data: [UInt8]) -> [UInt8] {
        u16(type) + u16(id) + u32(1) + u32(UInt32(data.count)) + data
            + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    }

    static func integer(_ id: UInt16, _ value: UInt32) -> [UInt8] { u16(3) + u16(id) + u32(value) }

    /// A property with a name of its own, as Outlook writes dozens.
    static func named(_ name: String) -> [UInt8] {
        let text = (name + "\0").utf16.flatMap { u16($0) }
        return u16(3) + u16(0x8001) + [UInt8](repeating: 7, count: 16) + u32(1) + u32(UInt32(text.count)) + text
            + [UInt8](repeating: 0, count: (4 - text.count % 4) % 4) + u32(5)
    }

    static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
    static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 255) } }
}
