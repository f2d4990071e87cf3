import FundCore

/// The list of streams of a compound file ([MS-CFB]): what it is, and whether it has a password. Chains of sectors are
/// followed for a bounded number of steps.
struct CompoundFile {
    private struct Stream {
        var name: String
        var start: Int
        var size: Int
    }

    private let file: FileWindow
    private let sectorBytes: Int
    /// Sectors of the table of sectors; the header lists the first 109, which is 7 MiB of a small file at least.
    private let tableSectors: [Int]
    private var streams: [Stream] = []

    /// Sectors of the directory that are read: 256 streams of a file with small sectors.
    private static let maxDirectorySectors = 64
    private static let entryBytes = 128

    static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1])
    }

    /// Nil when the header is broken.
    init?(_ file: FileWindow) {
        let header = file.bytes(at: 0, count: 512)
        guard Self.begins(header), let shift = header.little16(at: 30), [9, 12].contains(shift),
            let start = header.little32(at: 48), let tables = header.little32(at: 44)
        else { return nil }
        self.file = file
        sectorBytes = 1 << shift
        tableSectors = (0..<min(tables, 109)).compactMap { header.little32(at: 76 + 4 * $0) }
        readDirectory(from: start)
    }

    /// Office documents of before 2007; a document of today with a password, whose kind does not show, is `.docx`.
    var type: TrueType {
        if has("WordDocument") { return .doc }
        if has("Workbook") || has("Book") { return .xls }
        if has("PowerPoint Document") { return .ppt }
        return isEncryptedPackage ? .docx : .unknown
    }

    /// [MS-OFFCRYPTO] §2.3.4: the whole document is one encrypted stream.
    var isEncryptedPackage: Bool { has("EncryptedPackage") }

    /// Cannot be read without a password.
    var isEncrypted: Bool {
        if isEncryptedPackage || has("EncryptedSummary") { return true }
        // fEncrypted of FibBase ([MS-DOC] §2.5.2).
        if let beginning = beginning(of: "WordDocument"), let flags = beginning.little16(at: 10) {
            return flags & 0x0100 != 0
        }
        if let beginning = beginning(of: "Workbook") ?? beginning(of: "Book") { return Self.hasPassRecord(beginning) }
        return false
    }

    private func has(_ name: String) -> Bool { streams.contains { $0.name == name } }

    /// FilePass ([MS-XLS] §2.4.117) is among the first records of the globals.
    private static func hasPassRecord(_ bytes: [UInt8]) -> Bool {
        let (filePass, endOfPart) = (0x2F, 0x0A)
        var position = 0
        while let kind = bytes.little16(at: position), let size = bytes.little16(at: position + 2), kind != endOfPart {
            if kind == filePass { return true }
            position += 4 + size
        }
        return false
    }

    /// The first bytes of a stream that has sectors of its own (from 4096 bytes on).
    private func beginning(of name: String) -> [UInt8]? {
        guard let stream = streams.first(where: { $0.name == name }), stream.size >= 4096 else { return nil }
        return sector(stream.start)
    }

    private func sector(_ number: Int) -> [UInt8] {
        file.bytes(at: (Int64(number) + 1) * Int64(sectorBytes), count: sectorBytes)
    }

    /// The sector that follows one in its chain; nil at the end.
    private func next(after number: Int) -> Int? {
        let perSector = sectorBytes / 4
        guard tableSectors.indices.contains(number / perSector) else { return nil }
        let table = sector(tableSectors[number / perSector])
        guard let next = table.little32(at: number % perSector * 4), next < 0xFFFF_FFFA else { return nil }
        return next
    }

    private mutating func readDirectory(from start: Int) {
        var current: Int? = start
        for _ in 0..<Self.maxDirectorySectors {
            guard let number = current else { return }
            let bytes = sector(number)
            for entry in stride(from: 0, to: bytes.count, by: Self.entryBytes) {
                if let stream = Self.stream(bytes, at: entry) { streams.append(stream) }
            }
            current = next(after: number)
        }
    }

    private static func stream(_ bytes: [UInt8], at entry: Int) -> Stream? {
        guard let nameBytes = bytes.little16(at: entry + 64), (4...64).contains(nameBytes),
            let start = bytes.little32(at: entry + 116), let size = bytes.little32(at: entry + 120)
        else { return nil }
        let units = (0..<(nameBytes / 2 - 1)).compactMap { bytes.little16(at: entry + 2 * $0) }
        return Stream(name: String(decoding: units.map { UInt16($0) }, as: UTF16.self), start: start, size: size)
    }
}
