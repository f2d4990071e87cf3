internal import FundHTTP
internal import CZlib
internal import FundCore
internal import Hummingbird

/// Writes one zip file. Whatever cannot be sent as it was announced ends it with an error, and with it the connection,
/// so that the client sees a broken download: no file is left out in silence.
struct ZipStream: Sendable {
    let plan: ZipPlan
    let library: any FundLibrary & FileReading & MailLibrary
    let downloads: Downloads
    let user: User.ID

    private var output: ReservedOutput
    /// Bytes of the zip file so far.
    private var offset: Int64 = 0
    /// By the index of the item, for the central directory.
    private var checksums: [UInt32] = []
    /// Sizes of entries that were not known before, by index.
    private var sizes: [Int: Int64] = [:]

    init(
        plan: ZipPlan, library: any FundLibrary & FileReading & MailLibrary, downloads: Downloads, user: User.ID,
        sends: StreamSends?, isAllowed: @escaping @Sendable () async -> Bool
    ) {
        self.plan = plan
        self.library = library
        self.downloads = downloads
        self.user = user
        output = ReservedOutput(over: sends, isAllowed: isAllowed)
    }

    mutating func send(to writer: inout any ResponseBodyWriter) async throws {
        checksums.reserveCapacity(plan.items.count)
        for (index, item) in plan.items.enumerated() {
            let entry = try plan.entry(item)
            try await put(entry.header(), &writer)
            let (checksum, size) = try await putContent(of: item, &writer)
            checksums.append(checksum)
            if item.size == nil { sizes[index] = size }
            try await put(entry.descriptor(checksum: checksum, size: size), &writer)
        }
        try await putDirectory(&writer)
        try await output.flush(to: &writer)
    }

    private mutating func putDirectory(_ writer: inout any ResponseBodyWriter) async throws {
        let start = offset
        var place: Int64 = 0
        for (index, item) in plan.items.enumerated() {
            let (entry, size) = (try plan.entry(item), item.size ?? sizes[index] ?? 0)
            try await put(entry.directoryRecord(checksum: checksums[index], size: size, at: place), &writer)
            let length = item.size == nil ? StoredBlocks.length(of: size) : entry.dataLength
            place += entry.headerLength + length + entry.descriptorLength
        }
        try await put(
            ZipEnd.record(count: plan.items.count, offset: start, size: offset - start), &writer)
    }

    // MARK: Content

    private mutating func putContent(
        of item: ZipItem, _ writer: inout any ResponseBodyWriter
    ) async throws -> (checksum: UInt32, size: Int64) {
        let (library, user) = (library, user)
        switch item.content {
        case .folder: return (0, 0)
        case .file(let id, let digest):
            let content = ServedContent(
                digest: digest, size: item.size ?? 0, name: item.name, contentType: "", modifiedAt: item.modifiedAt)
            return try await put(
                Downloads.Reader(downloads, content) {
                    (try? await library.file(id, of: user))?.digest == digest
                }, &writer)
        case .email(let id, true):
            let raw = try await library.rawMessage(of: id, of: user)
            guard raw.size == item.size else { throw RequestError.internalError }
            let content = ServedContent(message: "\(id)", digest: raw.digest, size: raw.size)
            return try await put(
                Downloads.Reader(downloads, content) { (try? await library.rawMessage(of: id, of: user)) != nil },
                &writer)
        case .email(let id, false):
            let email = try await library.email(id, of: user)
            return try await put(text: email.withPlainText { Self.text(of: email, plainText: $0) }, &writer)
        case .withheld(.malware(let name)):
            let text = "This file was found to contain \(name). It is held back; an administrator can release it.\n"
            return try await put(text: text, &writer)
        case .withheld(.unscanned):
            let text = "This file has not been scanned for malware yet. It is held back until it is.\n"
            return try await put(text: text, &writer)
        }
    }

    private mutating func put(
        text: String, _ writer: inout any ResponseBodyWriter
    ) async throws -> (checksum: UInt32, size: Int64) {
        var checksum: UInt32 = 0
        var rest = Array(text.utf8)[...]
        let size = Int64(rest.count)
        while !rest.isEmpty {
            let piece = Array(rest.prefix(SendBudget.minPiece))
            rest = rest.dropFirst(piece.count)
            checksum = piece.withUnsafeBytes { Self.checksum(checksum, $0) }
            let position = size - Int64(rest.count + piece.count)
            let framed = StoredBlocks.framed(ByteBuffer(bytes: piece), at: position, of: size)
            try await put(Array(framed.readableBytesView), &writer)
        }
        return (checksum, size)
    }

    private mutating func put(
        _ reader: Downloads.Reader, _ writer: inout any ResponseBodyWriter
    ) async throws -> (checksum: UInt32, size: Int64) {
        var (reader, checksum, position): (Downloads.Reader, UInt32, Int64) = (reader, 0, 0)
        let size = reader.content.size
        repeat {
            let granted = try await output.reserve(
                Int(min(Int64(ReservedOutput.pieceSize), size - position)), &writer)
            let bytes = try await reader.read(position..<position + Int64(granted))
            checksum = bytes.withUnsafeReadableBytes { Self.checksum(checksum, $0) }
            var framed = StoredBlocks.framed(bytes, at: position, of: size)
            position += Int64(granted)
            offset += Int64(framed.readableBytes)
            try await output.put(reserved: &framed, to: &writer)
        } while position < size
        return (checksum, size)
    }

    private static func checksum(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(crc32_z(UInt(checksum), bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    }

    /// The text that the library still has of a message whose bytes are no longer kept.
    static func text(of email: EmailEntry, plainText: String) -> String {
        let summary = email.summary
        var lines = [
            "The message as it came is no longer kept, or held back. This is its text.", "",
            "From: \(summary.from ?? "")", "Subject: \(summary.subject?.label ?? "")",
            "Received: \(DateText.internet(summary.receivedAt))",
        ]
        lines += email.attachments.map { "File: \($0.name)" }
        lines += ["", plainText, ""]
        return lines.joined(separator: "\n")
    }

    private mutating func put(_ bytes: [UInt8], _ writer: inout any ResponseBodyWriter) async throws {
        try await output.put(bytes, to: &writer)
        offset += Int64(bytes.count)
    }
}
