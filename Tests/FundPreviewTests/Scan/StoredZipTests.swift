import Testing

@testable import FundPreview

@Suite struct StoredZipTests {
    /// The directory leads to each file, with the checksum that all of `123456789` has (CRC-32/ISO-HDLC).
    @Test func theDirectoryLeadsToEachFile() throws {
        let zip = StoredZip.of([("a/b.txt", Array("123456789".utf8)), ("é", [])])
        func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(zip[at + $1]) << ($1 * 8) } }
        let end = zip.count - 22
        #expect(Array(zip[end..<(end + 4)]) == Array("PK\u{5}\u{6}".utf8))
        #expect(number(end + 10, 2) == 2)
        var entry = number(end + 16, 4)
        #expect(entry + number(end + 12, 4) == end)
        var found: [(name: String, content: String, checksum: Int)] = []
        for _ in 0..<2 {
            #expect(Array(zip[entry..<(entry + 4)]) == Array("PK\u{1}\u{2}".utf8))
            let (size, length) = (number(entry + 24, 4), number(entry + 28, 2))
            let file = number(entry + 42, 4)
            #expect(Array(zip[file..<(file + 4)]) == Array("PK\u{3}\u{4}".utf8))
            let name = zip[(file + 30)..<(file + 30 + length)]
            #expect(name.elementsEqual(zip[(entry + 46)..<(entry + 46 + length)]))
            let content = zip[(file + 30 + length)..<(file + 30 + length + size)]
            found.append(
                (String(decoding: name, as: UTF8.self), String(decoding: content, as: UTF8.self), number(file + 14, 4)))
            entry += 46 + length
        }
        #expect(found.map(\.name) == ["a/b.txt", "é"])
        #expect(found.map(\.content) == ["123456789", ""])
        #expect(found.map(\.checksum) == [0xCBF4_3926, 0])
    }
}
