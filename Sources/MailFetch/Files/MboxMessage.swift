internal import FundCore

/// One message of an mbox file, written into the spool as it was before the mailbox program quoted it.
enum MboxMessage {
    private static let chunkBytes = 256 * 1024

    static func spool(
        path: String, from start: Int64, to end: Int64, into spool: SpoolDirectory
    ) throws -> SpooledMessage {
        let reader = try FileReader(path: path)
        var writer = try spool.makeFile()
        var unquoting = FromUnquoting()
        var position = start
        while position < end {
            let chunk = try reader.read(upTo: Int(min(Int64(chunkBytes), end - position)), at: position)
            guard !chunk.isEmpty else { throw SourceError(path: path, problem: "became shorter while it was read") }
            position += Int64(chunk.count)
            let plain = unquoting.update(chunk)
            try plain.withUnsafeBytes { try writer.append($0) }
        }
        let rest = unquoting.finish()
        try rest.withUnsafeBytes { try writer.append($0) }
        return writer.finish()
    }
}

/// Takes one `>` off lines of the form `>…>From `: the quoting of mboxrd, and that of mboxo, which quotes once.
struct FromUnquoting {
    private static let from = Array("From ".utf8)
    /// A line with more `>` is not a quotation.
    private static let maxQuotes = 1000

    private var isAtLineStart = true
    /// The beginning of a line that may turn out to be quoted, since the chunk ended in it.
    private var held: [UInt8] = []

    mutating func update(_ chunk: [UInt8]) -> [UInt8] {
        let bytes = held.isEmpty ? chunk : held + chunk
        held = []
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if isAtLineStart, bytes[index] == .greaterThan {
                switch quotation(bytes[index...]) {
                case nil:
                    held = Array(bytes[index...])
                    return plain
                case true?: index += 1
                case false?: break
                }
            }
            let newline = bytes[index...].firstIndex(of: .lf)
            let stop = newline.map { $0 + 1 } ?? bytes.count
            plain += bytes[index..<stop]
            isAtLineStart = newline != nil
            index = stop
        }
        return plain
    }

    mutating func finish() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// Nil when more bytes are needed to tell.
    private func quotation(_ line: ArraySlice<UInt8>) -> Bool? {
        let text = line.drop { $0 == .greaterThan }
        if line.count - text.count > Self.maxQuotes { return false }
        if text.count < Self.from.count { return Self.from.starts(with: text) ? nil : false }
        return text.starts(with: Self.from)
    }
}
