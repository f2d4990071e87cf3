import CGMime
import FundCore

/// Files of a Macintosh that come in two parts (RFC 1740 §5): what the Finder and the resource manager keep about a
/// file in the first, and the file, its data fork, in the second.
extension StructureWalk {
    /// The first part holds an icon and the like; of a longer one no name is read.
    private static let maxHeaderBytes = 64 << 10

    /// The part that is the file, and the name that it lacks; nil when the multipart is not made like that, or the file
    /// is empty and all of it stands in the other part, as in old fonts.
    mutating func dataFork(
        of children: [UnsafeMutablePointer<GMimeObject>], in item: Item, _ fields: PartFields
    ) throws(ReadError) -> (index: Int, name: String?)? {
        guard children.count == 2, children.allSatisfy({ fundmail_is_part($0) != 0 }) else { return nil }
        let parts = children.map { PartFields($0, charsets: charsets) }
        guard let header = parts.firstIndex(where: { $0.contentType == "application/applefile" }),
            parts[1 - header].contentType != "application/applefile",
            !item.tree.contentRange(fundmail_as_part(children[1 - header])).isEmpty
        else { return nil }
        try countPart()
        if let name = parts[header].name ?? fields.name { return (1 - header, name) }
        let range = item.tree.contentRange(fundmail_as_part(children[header]))
        var bytes: [UInt8] = []
        _ = try BodyDecoder(source: item.tree.source).decode(range, parts[header].encoding) { chunk in
            bytes.append(contentsOf: chunk.prefix(max(0, Self.maxHeaderBytes - bytes.count)))
        }
        let name = AppleDoubleHeader.realName(in: bytes).map { charsets.decode($0, charset: "macintosh").text }
        return (1 - header, name)
    }
}

/// The header of an AppleDouble file (RFC 1740 appendix B): big-endian numbers, entries of which one is the name.
enum AppleDoubleHeader {
    private static let magic: UInt32 = 0x0005_1607
    private static let realName: UInt32 = 3
    /// Magic number, version, filler.
    private static let entryCountOffset = 24
    private static let entriesOffset = 26
    private static let entryBytes = 12
    /// Names of that file system have 31 bytes, those of its successor 255.
    private static let maxNameBytes = 255

    static func realName(in bytes: [UInt8]) -> [UInt8]? {
        func number(at offset: Int, bytes count: Int) -> UInt32? {
            guard offset >= 0, offset + count <= bytes.count else { return nil }
            return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard number(at: 0, bytes: 4) == magic, let count = number(at: entryCountOffset, bytes: 2) else { return nil }
        for index in 0..<Int(count) {
            let entry = entriesOffset + index * entryBytes
            guard let id = number(at: entry, bytes: 4), let offset = number(at: entry + 4, bytes: 4),
                let length = number(at: entry + 8, bytes: 4)
            else { return nil }
            guard id == realName else { continue }
            guard (1...maxNameBytes).contains(Int(length)), Int(offset) + Int(length) <= bytes.count else { return nil }
            return Array(bytes[Int(offset)..<(Int(offset) + Int(length))])
        }
        return nil
    }
}
