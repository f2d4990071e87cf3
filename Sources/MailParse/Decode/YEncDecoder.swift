/// One yEnc file or part of one (yEnc draft 1.3): header, data lines, trailer with size and CRC-32.
struct YEncDecoder {
    private(set) var name: [UInt8] = []
    private var declaredSize: Int?
    private var isPart = false
    private var size = 0
    private var checksum: UInt32 = 0xFFFF_FFFF

    init() {}

    /// Nil unless the line is `=ybegin` with line length, size and name.
    init?(header line: ArraySlice<UInt8>) {
        guard line.starts(with: Array("=ybegin ".utf8)), Self.number("line", in: line) != nil,
            let size = Self.number("size", in: line),
            let at = Boundary.firstIndex(of: Array(" name=".utf8), in: Array(line), from: 0)
        else { return nil }
        name = Array(ASCII.trimmed(line.dropFirst(at + 6)))
        declaredSize = size
    }

    /// `=ypart begin=1 end=100`: only the size of the part counts.
    mutating func startPart(_ line: ArraySlice<UInt8>) {
        isPart = true
        guard let begin = Self.number("begin", in: line), let end = Self.number("end", in: line), end >= begin else {
            return
        }
        declaredSize = end - begin + 1
    }

    mutating func decode(_ line: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count)
        var isEscaped = false
        for byte in line {
            if byte == 61, !isEscaped {
                isEscaped = true
                continue
            }
            let value = byte &- (isEscaped ? 106 : 42)
            isEscaped = false
            bytes.append(value)
            checksum = Self.table[Int((checksum ^ UInt32(value)) & 0xFF)] ^ checksum >> 8
        }
        size += bytes.count
        return bytes
    }

    /// Whether the data agree with the sizes and with the CRC-32 of the trailer (`pcrc32` for a part).
    func isIntact(trailer line: ArraySlice<UInt8>) -> Bool {
        guard size == declaredSize, Self.number("size", in: line) == size else { return false }
        guard let sum = Self.text(isPart ? "pcrc32" : "crc32", in: line) else { return true }
        return UInt32(String(decoding: sum, as: UTF8.self), radix: 16) == ~checksum
    }

    private static func number(_ key: String, in line: ArraySlice<UInt8>) -> Int? {
        text(key, in: line).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private static func text(_ key: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let bytes = Array(line)
        let needle = Array(" \(key)=".utf8)
        guard let at = Boundary.firstIndex(of: needle, in: bytes, from: 0) else { return nil }
        let value = bytes[(at + needle.count)...].prefix { !ASCII.isSpace($0) }
        return value.isEmpty || value.count > 18 ? nil : value
    }

    /// CRC-32 (ISO 3309), reflected.
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ sum >> 1 : sum >> 1 }
    }
}
