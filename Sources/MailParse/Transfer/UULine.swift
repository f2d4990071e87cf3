import FundCore

/// One line of uuencoded data (POSIX uuencode).
struct UULine {
    private(set) var bytes: [UInt8] = []
    /// More characters are missing than blanks that a mail program took off the end could explain.
    let isShort: Bool
    /// Whether ordinary text could hardly look like this, so that a file may be taken to begin here.
    let isPlausibleStart: Bool

    /// Nil when the line cannot be data: characters outside blank to backquote, or more of them than its length says.
    init?(_ line: ArraySlice<UInt8>) {
        guard let first = line.first, line.allSatisfy({ (UInt8.space...UInt8(ascii: "`")).contains($0) }) else {
            return nil
        }
        let length = Int((first - .space) & 63)
        let wanted = (length + 2) / 3 * 4
        let given = line.count - 1
        // Some encoders add a checksum character; some write the last group short.
        guard given <= wanted + 2 else { return nil }
        let exact = length / 3 * 4 + [0, 2, 3][length % 3]
        isShort = given < exact
        isPlausibleStart = length == 0 ? line.elementsEqual("`".utf8) : given >= exact
        let codes = Array(line.dropFirst()) + [UInt8](repeating: .space, count: max(0, wanted - given))
        bytes.reserveCapacity(length + 2)
        for group in stride(from: 0, to: wanted, by: 4) {
            let six = codes[group..<(group + 4)].map { ($0 - .space) & 63 }
            bytes.append(six[0] << 2 | six[1] >> 4)
            bytes.append(six[1] << 4 | six[2] >> 2)
            bytes.append(six[2] << 6 | six[3])
        }
        bytes.removeLast(bytes.count - min(length, bytes.count))
    }

    /// The name of a `begin 644 name` line.
    static func beginName(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard line.starts(with: Array("begin ".utf8)) else { return nil }
        let rest = line.dropFirst(6)
        let mode = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        guard (3...4).contains(mode.count), rest.dropFirst(mode.count).first == .space else { return nil }
        let name = ASCII.trimmed(rest.dropFirst(mode.count + 1))
        return name.isEmpty ? nil : Array(name)
    }
}
