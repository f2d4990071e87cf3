internal import Glibc
import FundCore

/// Pieces of a file as they are asked for: a hostile file cannot make a reader hold more.
struct FileWindow {
    /// In bytes.
    let size: Int64
    private let read: (_ offset: Int64, _ count: Int) -> [UInt8]

    /// A window on an open file. A file that cannot be measured has no bytes.
    init(descriptor: Int32) {
        var status = stat()
        size = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
        read = { offset, count in
            [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = max(SystemCall.fill(UnsafeMutableRawBufferPointer(buffer), from: descriptor, at: offset), 0)
            }
        }
    }

    /// A window on bytes in memory.
    init(_ bytes: [UInt8]) {
        size = Int64(bytes.count)
        read = { offset, count in Array(bytes[Int(offset)..<(Int(offset) + count)]) }
    }

    /// At most `count` bytes from `offset` on; fewer at the end of the file, none outside of it.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        guard (0..<size).contains(offset), count > 0 else { return [] }
        return read(offset, Int(min(Int64(count), size - offset)))
    }
}

extension [UInt8] {
    /// The number in two bytes, the lower one first; nil outside of the bytes. So are those below.
    func little16(at index: Int) -> Int? {
        guard index >= 0, index + 2 <= count else { return nil }
        return Int(self[index]) | Int(self[index + 1]) << 8
    }

    func little32(at index: Int) -> Int? {
        guard let low = little16(at: index), let high = little16(at: index + 2) else { return nil }
        return low | high << 16
    }

    func big32(at index: Int) -> Int? {
        guard index >= 0, index + 4 <= count else { return nil }
        return self[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Whether `word`, in ASCII, stands there.
    func has(_ word: StaticString, at index: Int = 0) -> Bool {
        word.withUTF8Buffer { word in
            index >= 0 && index + word.count <= count && self[index..<(index + word.count)].elementsEqual(word)
        }
    }
}
