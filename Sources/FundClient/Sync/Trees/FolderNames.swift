internal import Foundation

/// The names in a local folder, in the order of their bytes in the form in which the server keeps names (NFC). All lie
/// in one array: a folder may have hundreds of thousands.
struct FolderNames {
    private struct Entry {
        /// Place of the name in the file system's form.
        var start: UInt32
        var count: UInt16
        /// Place of the name in NFC.
        var keyStart: UInt32
        var keyCount: UInt16
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// Names that are not UTF-8.
    private(set) var unreadable: [[UInt8]] = []

    /// - Parameter path: of the folder.
    init(path: String) throws(ClientError) {
        try LocalFiles.eachName(in: path) { add($0) }
        let bytes = bytes
        entries.sort { first, second in
            let order = bytes.withUnsafeBytes { buffer in
                Self.order(
                    UnsafeRawBufferPointer(rebasing: buffer[Self.range(first.keyStart, first.keyCount)]),
                    UnsafeRawBufferPointer(rebasing: buffer[Self.range(second.keyStart, second.keyCount)]))
            }
            return order != 0 ? order < 0 : first.start < second.start
        }
    }

    private mutating func add(_ name: UnsafeRawBufferPointer) {
        let start = UInt32(bytes.count)
        bytes.append(contentsOf: name)
        var entry = Entry(
            start: start, count: UInt16(name.count), keyStart: start, keyCount: UInt16(name.count))
        if name.contains(where: { $0 >= 0x80 }) {
            let text = String(decoding: name, as: UTF8.self)
            guard text.utf8.elementsEqual(name) else {
                bytes.removeLast(name.count)
                unreadable.append(Array(name))
                return
            }
            let composed = Array(text.precomposedStringWithCanonicalMapping.utf8)
            if !composed.elementsEqual(name) {
                (entry.keyStart, entry.keyCount) = (UInt32(bytes.count), UInt16(composed.count))
                bytes += composed
            }
        }
        entries.append(entry)
    }

    private static func range(_ start: UInt32, _ count: UInt16) -> Range<Int> { Int(start)..<Int(start) + Int(count) }

    var count: Int { entries.count }

    /// The name in the file system's form.
    subscript(index: Int) -> String {
        String(decoding: bytes[Self.range(entries[index].start, entries[index].count)], as: UTF8.self)
    }

    /// Name in NFC.
    func key(_ index: Int) -> String {
        String(decoding: bytes[Self.range(entries[index].keyStart, entries[index].keyCount)], as: UTF8.self)
    }

    // MARK: Order

    /// Below 0 when the first comes before the second, by their bytes.
    static func order(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let common = min(first.count, second.count)
        if common > 0, let left = first.baseAddress, let right = second.baseAddress {
            let order = memcmp(left, right, common)
            if order != 0 { return Int(order) }
        }
        return first.count - second.count
    }

    /// Below 0 when the first comes before the second, by their bytes.
    static func order(_ first: String, _ second: String) -> Int {
        var (first, second) = (first, second)
        return first.withUTF8 { left in
            second.withUTF8 { order(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer($0)) }
        }
    }
}
