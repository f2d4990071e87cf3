/// A zip file of small files without compression (APPNOTE.TXT of PKWARE, 4.3).
package enum StoredZip {
    /// A zip file of these files, in their order.
    /// - Parameter files: names with `/` between folders, and contents; all of them below 4 GiB, and fewer than 65,536.
    package static func of(_ files: [(name: String, content: [UInt8])]) -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for file in files {
            let name = Array(file.name.utf8)
            let offset = bytes.count
            // Version 1.0, the name is UTF-8, stored, no time.
            let common =
                little(10, 2) + little(1 << 11, 2) + little(0, 6) + little(checksum(file.content), 4)
                + little(file.content.count, 4) + little(file.content.count, 4) + little(name.count, 2) + little(0, 2)
            bytes += Array("PK\u{3}\u{4}".utf8) + common + name + file.content
            directory += Array("PK\u{1}\u{2}".utf8) + little(20, 2) + common + little(0, 10) + little(offset, 4) + name
        }
        let end =
            Array("PK\u{5}\u{6}".utf8) + little(0, 4) + little(files.count, 2) + little(files.count, 2)
            + little(directory.count, 4) + little(bytes.count, 4) + little(0, 2)
        return bytes + directory + end
    }

    /// A zip file of one file of these bytes.
    package static func of(_ content: [UInt8], named name: String) -> [UInt8] { of([(name, content)]) }

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
