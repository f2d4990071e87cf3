import FundCore

/// Finds uuencoded files in a text body that comes in chunks.
struct EmbeddedFileScanner {
    enum Event {
        /// Text that stands outside files, as it came.
        case text(ArraySlice<UInt8>)
        /// A file starts; `name` is as sent, raw.
        case begin(name: [UInt8])
        case data(ArraySlice<UInt8>)
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

    init() {}

    mutating func feed<E: Error>(
        _ chunk: UnsafeRawBufferPointer, _ handle: (Event) throws(E) -> Void
    ) throws(E) {
        var start = 0
        while start < chunk.count {
            let end = chunk[start...].firstIndex(of: .lf).map { $0 + 1 } ?? chunk.count
            carry.append(contentsOf: chunk[start..<end])
            start = end
            if carry.last == .lf || carry.count >= Self.maxLineBytes { try takeLine(handle) }
        }
    }

    /// Ends the text: delivers what is held back.
    mutating func finish<E: Error>(_ handle: (Event) throws(E) -> Void) throws(E) {
        if !carry.isEmpty { try takeLine(handle) }
        switch place {
        case .text: break
        case .held: try handle(.text(heldLine[...]))
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
        if wasMidline, case .text = place { return try handle(.text(line[...])) }
        switch place {
        case .text: try textLine(line, content, handle)
        case .held(let name):
            if UULine(content)?.isPlausibleStart == true {
                try handle(.begin(name: name))
                place = .uuencoded
                uuDefects = []
                try uuLine(line, content, handle)
            } else {
                try handle(.text(heldLine[...]))
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
            try handle(.text(line[...]))
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
        if !data.bytes.isEmpty { try handle(.data(data.bytes[...])) }
    }
}
