internal import FundHTTP
internal import FundCore

/// The records of a zip file (PKWARE, APPNOTE.TXT 6.3.10; sections in brackets). Entries are not compressed: most of
/// what comes by mail is. They stand as `StoredBlocks`. What follows the data of a file says its checksum and size, so
/// that the zip file is written in one go.
struct ZipEntry: Sendable {
    /// Names in UTF-8 with `/` between them [4.4.17]; that of a folder ends in one. At most 65,535 bytes.
    var path: [UInt8]
    var isFolder: Bool
    /// Bytes of the content; nil when they are not known before, and then below 4 GiB.
    var size: Int64?
    var modifiedAt: Timestamp

    /// Sizes and offsets from here on stand in fields of Zip64 [4.4.1.4].
    fileprivate static let limit = Int64(UInt32.max)

    /// Neither folders nor empty files have data, and their checksum is 0.
    private var hasData: Bool { !isFolder && size != 0 }

    /// Bytes that the data takes; 0 when they are not known.
    var dataLength: Int64 { hasData ? StoredBlocks.length(of: size ?? 0) : 0 }

    /// Whether its sizes need eight bytes [4.5.3].
    private var isLarge: Bool { dataLength >= Self.limit }

    /// Method [4.4.5].
    private static let deflated = UInt16(8)

    // MARK: Lengths

    var headerLength: Int64 { Int64(30 + path.count + (isLarge ? 20 : 0) + timeField.count) }

    var descriptorLength: Int64 { hasData ? isLarge ? 24 : 16 : 0 }

    func directoryLength(at offset: Int64) -> Int64 {
        let fields = (isLarge ? 16 : 0) + (offset >= Self.limit ? 8 : 0)
        return Int64(46 + path.count + (fields > 0 ? 4 + fields : 0) + timeField.count)
    }

    // MARK: Records

    /// Local file header [4.3.7]. Checksum and sizes follow the data [4.4.4, bit 3].
    func header() -> [UInt8] {
        var bytes = ZipBytes(reserving: Int(headerLength))
        bytes.append(UInt32(0x0403_4b50))
        appendCommon(to: &bytes)
        bytes.append(UInt32(0))
        bytes.append(isLarge ? UInt32.max : 0)
        bytes.append(isLarge ? UInt32.max : 0)
        bytes.append(UInt16(path.count))
        bytes.append(UInt16((isLarge ? 20 : 0) + timeField.count))
        bytes.bytes += path
        if isLarge {
            bytes.append(UInt16(0x0001))
            bytes.append(UInt16(16))
            bytes.append(UInt64(0))
            bytes.append(UInt64(0))
        }
        bytes.bytes += timeField
        return bytes.bytes
    }

    /// Data descriptor [4.3.9], with its signature; nothing where there is no data.
    func descriptor(checksum: UInt32, size: Int64) -> [UInt8] {
        guard hasData else { return [] }
        var bytes = ZipBytes(reserving: 24)
        bytes.append(UInt32(0x0807_4b50))
        bytes.append(checksum)
        for length in [StoredBlocks.length(of: size), size] {
            if isLarge { bytes.append(UInt64(length)) } else { bytes.append(UInt32(length)) }
        }
        return bytes.bytes
    }

    /// Central directory header [4.3.12].
    /// - Parameter offset: of the local file header.
    func directoryRecord(checksum: UInt32, size: Int64, at offset: Int64) -> [UInt8] {
        let isFar = offset >= Self.limit
        var fields = ZipBytes(reserving: 28)
        if isLarge || isFar {
            fields.append(UInt16(0x0001))
            fields.append(UInt16((isLarge ? 16 : 0) + (isFar ? 8 : 0)))
            if isLarge {
                fields.append(UInt64(size))
                fields.append(UInt64(StoredBlocks.length(of: size)))
            }
            if isFar { fields.append(UInt64(offset)) }
        }
        fields.bytes += timeField
        var bytes = ZipBytes(reserving: Int(directoryLength(at: offset)))
        bytes.append(UInt32(0x0201_4b50))
        // Made on Unix [4.4.2.2], whose modes stand in the external attributes.
        bytes.append(UInt16(3 << 8 | 45))
        appendCommon(to: &bytes, isFar: isFar)
        bytes.append(checksum)
        bytes.append(isLarge ? UInt32.max : UInt32(StoredBlocks.length(of: size)))
        bytes.append(isLarge ? UInt32.max : UInt32(size))
        bytes.append(UInt16(path.count))
        bytes.append(UInt16(fields.bytes.count))
        // No comment, first disk, no internal attributes.
        for _ in 0..<3 { bytes.append(UInt16(0)) }
        // The low byte is that of MS-DOS, where 0x10 is a folder.
        bytes.append(isFolder ? UInt32(0o040755) << 16 | 0x10 : UInt32(0o100644) << 16)
        bytes.append(isFar ? UInt32.max : UInt32(offset))
        bytes.bytes += path
        bytes.bytes += fields.bytes
        return bytes.bytes
    }

    /// Version needed [4.4.3], flags [4.4.4], method [4.4.5], time and date [4.4.6].
    private func appendCommon(to bytes: inout ZipBytes, isFar: Bool = false) {
        bytes.append(UInt16(isLarge || isFar ? 45 : 20))
        // Bit 11: the name is UTF-8. Bit 3: a data descriptor follows.
        bytes.append(UInt16(1 << 11 | (hasData ? 1 << 3 : 0)))
        bytes.append(hasData ? Self.deflated : 0)
        let time = DateText.Parts(modifiedAt)
        let (date, second) = (time.date, time.second)
        let isInRange = (1980...2107).contains(date.year)
        // In UTC, since the reader's zone is not known; the extended field says so.
        let clock = (second / 3600) << 11 | (second / 60 % 60) << 5 | (second % 60) / 2
        bytes.append(isInRange ? UInt16(clock) : 0)
        let year = isInRange ? date.year - 1980 : date.year < 1980 ? 0 : 127
        bytes.append(UInt16(year << 9 | (isInRange ? date.month << 5 | date.day : 1 << 5 | 1)))
    }

    /// The extended timestamp of Info-ZIP (`extrafld.txt`, 0x5455; reserved for it in [4.6.1]): seconds since 1970 in
    /// 32 bits. Missing for times that do not fit.
    private var timeField: [UInt8] {
        guard let seconds = Int32(exactly: modifiedAt.rawValue) else { return [] }
        var bytes = ZipBytes(reserving: 9)
        bytes.append(UInt16(0x5455))
        bytes.append(UInt16(5))
        bytes.bytes.append(1)  // of the modification only
        bytes.append(UInt32(bitPattern: seconds))
        return bytes.bytes
    }
}

/// The records after the last entry of the central directory.
enum ZipEnd {
    static func length(count: Int, offset: Int64, size: Int64) -> Int64 {
        needsZip64(count: count, offset: offset, size: size) ? 56 + 20 + 22 : 22
    }

    /// End of central directory record [4.3.16], behind those of Zip64 [4.3.14, 4.3.15] where its fields do not do.
    /// - Parameters:
    ///   - count: of all entries.
    ///   - offset: of the central directory.
    ///   - size: of the central directory, in bytes.
    static func record(count: Int, offset: Int64, size: Int64) -> [UInt8] {
        var bytes = ZipBytes(reserving: 98)
        if needsZip64(count: count, offset: offset, size: size) {
            bytes.append(UInt32(0x0606_4b50))
            bytes.append(UInt64(44))  // of this record, without the signature and this field
            bytes.append(UInt16(3 << 8 | 45))
            bytes.append(UInt16(45))
            bytes.append(UInt32(0))
            bytes.append(UInt32(0))
            bytes.append(UInt64(count))
            bytes.append(UInt64(count))
            bytes.append(UInt64(size))
            bytes.append(UInt64(offset))
            bytes.append(UInt32(0x0706_4b50))
            bytes.append(UInt32(0))
            bytes.append(UInt64(offset + size))
            bytes.append(UInt32(1))
        }
        bytes.append(UInt32(0x0605_4b50))
        bytes.append(UInt16(0))
        bytes.append(UInt16(0))
        for _ in 0..<2 { bytes.append(UInt16(min(count, Int(UInt16.max)))) }
        bytes.append(UInt32(min(size, ZipEntry.limit)))
        bytes.append(UInt32(min(offset, ZipEntry.limit)))
        bytes.append(UInt16(0))
        return bytes.bytes
    }

    private static func needsZip64(count: Int, offset: Int64, size: Int64) -> Bool {
        count >= Int(UInt16.max) || offset >= ZipEntry.limit || size >= ZipEntry.limit
    }
}

/// Numbers in little-endian order [4.4.1.1].
private struct ZipBytes {
    var bytes: [UInt8] = []

    init(reserving count: Int) { bytes.reserveCapacity(count) }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}
