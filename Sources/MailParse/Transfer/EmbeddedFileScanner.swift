internal import CLinux
import FundCore
internal import Glibc

/// Finds uuencoded files in a text body that comes in chunks.
struct EmbeddedFileScanner {
    enum Event {
        /// Text that stands outside files, as it came.
        case text([UInt8])
        /// A file starts; `name` is as sent, raw.
        case begin(name: [UInt8])
        case data([UInt8])
        /// The file that began last is whole, or ends with defects.
        case end(defects: Set<Defect>)
    }

    private enum Place {
        case text
        /// A `begin` line is held back until the next line shows whether data follow.
        case held(name: [UInt8])
        case uuencoded
    }

    /// Longer lines are no part of an encoding: uuencode has 62 bytes.
    private static let maxLineBytes = 4096

    private var place = Place.text
    private var carry: [UInt8] = []
    private var isMidline = false
    private var heldLine: [UInt8] = []
    private var uuDefects: Set<Defect> = []

    mutating func feed<E: Error>(_ chunk: UnsafeRawBufferPointer, _ handle: (Event) throws(E) -> Void) throws(E) {
        var start = 0
        while start < chunk.count {
            let plain = plainBytes(of: UnsafeRawBufferPointer(rebasing: chunk[start...]))
            if plain > 0 {
                try handle(.text(Array(chunk[start..<(start + plain)])))
                start += plain
                continue
            }
            let end = chunk[start...].firstIndex(of: .lf).map { $0 + 1 } ?? chunk.count
            carry.append(contentsOf: chunk[start..<end])
            start = end
            if carry.last == .lf || carry.count >= Self.maxLineBytes { try takeLine(handle) }
        }
    }

    /// How many bytes at the beginning are whole lines of text without the word that a file begins with: nearly always
    /// all lines that came, and to look at each takes longer than to decode them.
    private func plainBytes(of text: UnsafeRawBufferPointer) -> Int {
        guard case .text = place, carry.isEmpty, !isMidline, let start = text.baseAddress else { return 0 }
        let word = memmem(start, text.count, Self.beginWord, Self.beginWord.count)
        let end = word.map { UnsafeRawPointer($0) - start } ?? text.count
        return text[..<end].lastIndex(of: .lf).map { $0 + 1 } ?? 0
    }

    fileprivate static let beginWord = Array("begin ".utf8)

    /// Ends the text: delivers what is held back.
    mutating func finish<E: Error>(_ handle: (Event) throws(E) -> Void) throws(E) {
        if !carry.isEmpty { try takeLine(handle) }
        switch place {
        case .text: break
        case .held: try handle(.text(heldLine))
        case .uuencoded: try handle(.end(defects: [.uuencodeTruncated]))
        }
        place = .text
    }

    private mutating func takeLine<E: Error>(_ handle: (Event) throws(E) -> Void) throws(E) {
        let line = carry
        carry.removeAll(keepingCapacity: true)
        let wasMidline = isMidline
        isMidline = line.last != .lf
        var content = line[...]
        if content.last == .lf { content.removeLast() }
        if content.last == .cr { content.removeLast() }
        if wasMidline, case .text = place { return try handle(.text(line)) }
        switch place {
        case .text: try textLine(line, content, handle)
        case .held(let name):
            if UULine(content)?.isPlausibleStart == true {
                try handle(.begin(name: name))
                place = .uuencoded
                uuDefects = []
                try uuLine(line, content, handle)
            } else {
                try handle(.text(heldLine))
                place = .text
                try textLine(line, content, handle)
            }
        case .uuencoded: try uuLine(line, content, handle)
        }
    }

    private mutating func textLine<E: Error>(
        _ line: [UInt8], _ content: ArraySlice<UInt8>, _ handle: (Event) throws(E) -> Void
    ) throws(E) {
        if let name = UULine.beginName(content) {
            heldLine = line
            place = .held(name: name)
        } else {
            try handle(.text(line))
        }
    }

    private mutating func uuLine<E: Error>(
        _ line: [UInt8], _ content: ArraySlice<UInt8>, _ handle: (Event) throws(E) -> Void
    ) throws(E) {
        if content.elementsEqual("end".utf8) || content.elementsEqual("end ".utf8) {
            place = .text
            return try handle(.end(defects: uuDefects))
        }
        if content.isEmpty { return }
        guard let data = UULine(content) else {
            place = .text
            try handle(.end(defects: [.uuencodeTruncated]))
            return try textLine(line, content, handle)
        }
        if data.isShort { uuDefects.insert(.uuencodeTruncated) }
        if !data.bytes.isEmpty { try handle(.data(data.bytes)) }
    }
}

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
        guard line.starts(with: EmbeddedFileScanner.beginWord) else { return nil }
        let rest = line.dropFirst(6)
        let mode = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        guard (3...4).contains(mode.count), rest.dropFirst(mode.count).first == .space else { return nil }
        let name = ASCII.trimmed(rest.dropFirst(mode.count + 1))
        return name.isEmpty ? nil : Array(name)
    }
}
