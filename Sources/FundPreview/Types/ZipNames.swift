import FundCore

/// The names of the files in a zip file (APPNOTE.TXT of PKWARE), as far as they tell what it is.
struct ZipNames {
    /// Names, as bytes of UTF-8 or older; at most `maxNames`.
    private(set) var names: [String] = []
    /// A file in it has a password.
    private(set) var isEncrypted = false
    /// Text of the first file, when it stands uncompressed under the name `mimetype`.
    private var mediaType: String?

    private static let maxNames = 4096
    private static let maxDirectoryBytes = 1 << 20
    /// The end record with the longest comment.
    private static let maxEndBytes = 22 + 65535
    private static let localMark = 0x0403_4B50
    private static let directoryMark = 0x0201_4B50
    private static let endMark: [UInt8] = [0x50, 0x4B, 5, 6]

    /// Whether a file begins as a zip file does: with a file, or with the end of none.
    static func begins(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: endMark)
    }

    init(_ file: FileWindow) {
        let beginning = file.bytes(at: 0, count: TrueType.beginningBytes)
        readMediaType(beginning)
        if !readDirectory(file) { readLocalHeaders(beginning) }
    }

    var type: TrueType {
        if let mediaType, let type = Self.openDocument(mediaType) { return type }
        // The part that holds a document may have another name; its folder has not (ECMA-376-1, annex A).
        if names.contains(where: { $0 == "[Content_Types].xml" }) {
            if names.contains(where: { $0.hasPrefix("word/") }) { return .docx }
            if names.contains(where: { $0.hasPrefix("xl/") }) { return .xlsx }
            if names.contains(where: { $0.hasPrefix("ppt/") }) { return .pptx }
        }
        return .zip
    }

    private static func openDocument(_ mediaType: String) -> TrueType? {
        let prefix = "application/vnd.oasis.opendocument."
        guard mediaType.hasPrefix(prefix) else { return nil }
        let kind = mediaType.dropFirst(prefix.count)
        if kind.hasPrefix("text") { return .odt }
        if kind.hasPrefix("spreadsheet") { return .ods }
        return kind.hasPrefix("presentation") ? .odp : nil
    }

    /// OpenDocument 1.3 part 2 §3.3: the first file, not compressed.
    private mutating func readMediaType(_ bytes: [UInt8]) {
        guard bytes.little16(at: 8) == 0, bytes.little16(at: 26) == 8, bytes.has("mimetype", at: 30),
            let extra = bytes.little16(at: 28)
        else { return }
        let start = 38 + extra
        let text = bytes.dropFirst(start).prefix(64).prefix { ASCII.isVisible($0) }
        // Nothing divides it from the mark of the next file.
        let end = text.indices.first { bytes.little32(at: $0) == Self.localMark } ?? text.endIndex
        mediaType = String(decoding: text[..<max(end, text.startIndex)], as: UTF8.self)
    }

    /// False when the file has no directory at its end: it was cut off.
    private mutating func readDirectory(_ file: FileWindow) -> Bool {
        let tailStart = max(file.size - Int64(Self.maxEndBytes), 0)
        let tail = file.bytes(at: tailStart, count: Self.maxEndBytes)
        guard let end = Self.lastIndex(of: Self.endMark, in: tail), let size = tail.little32(at: end + 12),
            let start = tail.little32(at: end + 16)
        else { return false }
        // Something may stand in front of the zip file; then the directory ends where the end record begins.
        let place = min(Int64(start), max(tailStart + Int64(end - size), 0))
        let directory = file.bytes(at: place, count: min(size, Self.maxDirectoryBytes))
        var position = 0
        while directory.little32(at: position) == Self.directoryMark, names.count < Self.maxNames {
            guard let flags = directory.little16(at: position + 8), let name = directory.little16(at: position + 28),
                let extra = directory.little16(at: position + 30), let comment = directory.little16(at: position + 32),
                position + 46 + name <= directory.count
            else { break }
            add(directory[(position + 46)..<(position + 46 + name)], flags: flags)
            position += 46 + name + extra + comment
        }
        return !names.isEmpty
    }

    /// Reads the headers at the beginning; a file that is written as it is compressed has the first name alone there.
    private mutating func readLocalHeaders(_ bytes: [UInt8]) {
        var position = 0
        while bytes.little32(at: position) == Self.localMark, names.count < Self.maxNames {
            guard let flags = bytes.little16(at: position + 6), let size = bytes.little32(at: position + 18),
                let name = bytes.little16(at: position + 26), let extra = bytes.little16(at: position + 28),
                position + 30 + name <= bytes.count
            else { return }
            add(bytes[(position + 30)..<(position + 30 + name)], flags: flags)
            position += 30 + name + extra + size
            // Bit 3: the size stands behind the content. The next mark tells where it ends.
            if flags & 8 != 0, size == 0 {
                guard let next = ASCII.firstIndex(of: [0x50, 0x4B, 3, 4], in: bytes, from: position) else { return }
                position = next
            }
        }
    }

    private mutating func add(_ name: ArraySlice<UInt8>, flags: Int) {
        names.append(String(decoding: name, as: UTF8.self))
        if flags & 1 != 0 { isEncrypted = true }
    }

    private static func lastIndex(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 22 else { return nil }
        return (0...(bytes.count - 22)).reversed().first { bytes[$0..<($0 + mark.count)].elementsEqual(mark) }
    }
}
