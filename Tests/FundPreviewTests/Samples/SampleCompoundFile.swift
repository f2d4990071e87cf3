/// Compound files ([MS-CFB]) with empty streams of given names.
enum SampleCompoundFile {
    private static let sectorBytes = 512

    static func with(_ streams: [String]) -> [UInt8] {
        let end = 0xFFFF_FFFE
        var header: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + Array(repeating: 0, count: 16)
        header += SampleZip.little16(0x3E) + SampleZip.little16(3) + [0xFE, 0xFF] + SampleZip.little16(9)
        header += SampleZip.little16(6) + Array(repeating: 0, count: 10)
        // One sector of the table, the directory at sector 1, no small sectors.
        header += SampleZip.little32(1) + SampleZip.little32(1) + SampleZip.little32(0) + SampleZip.little32(4096)
        header += SampleZip.little32(end) + SampleZip.little32(0) + SampleZip.little32(end) + SampleZip.little32(0)
        header += SampleZip.little32(0) + Array(repeating: 0xFF, count: sectorBytes - header.count - 4)
        var table = SampleZip.little32(0xFFFF_FFFD) + SampleZip.little32(end)
        table += Array(repeating: 0xFF, count: sectorBytes - table.count)
        let entries = (["Root Entry"] + streams).enumerated().map { entry($1, kind: $0 == 0 ? 5 : 2) }
        var directory = entries.flatMap { $0 }
        directory += Array(repeating: 0, count: max(sectorBytes - directory.count, 0))
        return header + table + directory
    }

    private static func entry(_ name: String, kind: UInt8) -> [UInt8] {
        let units = name.utf16.flatMap { SampleZip.little16(Int($0)) }
        var bytes = units + Array(repeating: 0, count: 64 - units.count) + SampleZip.little16(units.count + 2)
        bytes += [kind, 1] + Array(repeating: 0xFF, count: 12) + Array(repeating: 0, count: 36)
        return bytes + SampleZip.little32(0xFFFF_FFFE) + SampleZip.little32(0) + SampleZip.little32(0)
    }
}
