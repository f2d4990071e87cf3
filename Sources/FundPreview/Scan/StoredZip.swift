/// A zip file of one small file without compression (APPNOTE.TXT of PKWARE, 4.3).
package enum StoredZip {
    /// A file `name` of these bytes.
    package static func of(_ content: [UInt8], named name: String) -> [UInt8] {
        let name = Array(name.utf8)
        // Version 1.0, no flags, stored, no time.
        let common =
            little(10, 2) + little(0, 8) + little(checksum(content), 4) + little(content.count, 4)
            + little(content.count, 4) + little(name.count, 2) + little(0, 2)
        let file = Array("PK\u{3}\u{4}".utf8) + common + name + content
        let directory = Array("PK\u{1}\u{2}".utf8) + little(20, 2) + common + little(0, 14) + name
        let end =
            Array("PK\u{5}\u{6}".utf8) + little(0, 4) + little(1, 2) + little(1, 2) + little(directory.count, 4)
            + little(file.count, 4) + little(0, 2)
        return file + directory + end
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> ($0 * 8)) : 0 }
    }

    /// CRC-32 (ISO 3309).
    private static func checksum(_ bytes: [UInt8]) -> Int {
        let sum = bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(~sum)
    }
}
