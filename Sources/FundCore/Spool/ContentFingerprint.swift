import Crypto
internal import Glibc

/// The digest by which two copies of a message are recognised although their bytes differ: its body, and the fields of
/// its header that make it the one it is (`MessageIdentity`), without line ends and empty lines around the message.
/// Computed in a stream. A copy that came by a list has the same; one with the same Message-ID and other content, as a
/// forger would send it, has another.
///
/// Where these fields do not identify a message, everything is covered but the trace fields of RFC 5321 §4.4
/// (`Return-Path`, `Received`) and RFC 8601, what filters and delivery agents write, and what mailbox formats and
/// retrieval programs keep in the header (`TraceFieldNames`).
struct ContentFingerprint: ~Copyable {
    /// The fields of the header that are covered.
    enum Coverage {
        /// The fields that make a message the one it is, where they do.
        case identity
        /// All fields but those of the trace, as older rows have it.
        case allFields
    }

    /// The parser refuses a longer header; what follows is hashed as it is.
    private static let maxHeaderBytes = 256 * 1024

    private let coverage: Coverage
    private var hash: FingerprintHash
    /// Whether the fields that are covered are those of the message's identity.
    private var isIdentified = false
    /// The header received so far, line ends normalised; nil after its end.
    private var header: [UInt8]? = []
    private var pendingCR = false
    private var pendingNewlines = 0

    init(key: FingerprintKey?, covering coverage: Coverage = .identity) {
        self.coverage = coverage
        hash = FingerprintHash(key: key)
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        // Mostly the first bytes hold the whole header, and the rest of them is text between line ends.
        let headerEnd = header == nil ? 0 : bytes.headerEnd ?? bytes.count
        collect(UnsafeRawBufferPointer(rebasing: bytes[..<headerEnd]))
        let rest = UnsafeRawBufferPointer(rebasing: bytes[headerEnd...])
        guard header == nil, !pendingCR, let last = rest.lastIndex(where: { $0 != .lf && $0 != .cr }) else {
            return collect(rest)
        }
        feedNewlines()
        hash.update(normalising: UnsafeRawBufferPointer(rebasing: rest[...last]))
        collect(UnsafeRawBufferPointer(rebasing: rest[(last + 1)...]))
    }

    /// Any bytes, by way of a copy with normalised line ends: of a message its header, and what ends each piece.
    private mutating func collect(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        normalised(start, bytes.count).withUnsafeBytes { take($0) }
    }

    mutating func finalize() -> ContentDigest {
        if pendingCR { [UInt8.cr].withUnsafeBytes { take($0) } }
        pendingCR = false
        if let rest = header { feedHeader(rest[...]) }
        let digest = hash.finalize()
        // No message without an identity, whatever its text, has the fingerprint of one with it.
        return isIdentified ? ContentDigest.of(digest.bytes + Array("identity".utf8)) : digest
    }

    /// With CRLF turned into LF; a CR at the end waits for what follows.
    private mutating func normalised(_ start: UnsafeRawPointer, _ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count + 1) { buffer, filled in
            guard let out = buffer.baseAddress else { return }
            let end = start + count
            var position = start
            if pendingCR, position.load(as: UInt8.self) != .lf {
                out[filled] = .cr
                filled += 1
            }
            pendingCR = false
            while position < end {
                let cr = memchr(position, Int32(UInt8.cr), end - position).map { UnsafeRawPointer($0) } ?? end
                memcpy(out + filled, position, cr - position)
                filled += cr - position
                position = cr + 1
                guard cr < end else { return }
                if position == end {
                    pendingCR = true
                } else if position.load(as: UInt8.self) != .lf {
                    out[filled] = .cr
                    filled += 1
                }
            }
        }
    }

    /// - Parameter bytes: with normalised line ends.
    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        guard let collected = header else { return feedBody(bytes) }
        // Mostly the whole header is in the first bytes.
        let bytes = collected.isEmpty ? UnsafeRawBufferPointer(rebasing: bytes.drop { $0 == .lf }) : bytes
        guard collected.isEmpty, let end = bytes.firstEmptyLine else { return collectHeader(bytes) }
        header = nil
        feedHeader(Array(bytes[..<end])[...])
        feedBody(UnsafeRawBufferPointer(rebasing: bytes[(end + 2)...]))
    }

    private mutating func collectHeader(_ bytes: UnsafeRawBufferPointer) {
        guard var collected = header else { return }
        header = []  // so that the append below does not copy
        // Where the empty line may begin: a byte back, in case it straddles two updates.
        let from = max(collected.count - 1, 0)
        collected.append(contentsOf: bytes)
        let end = collected.withUnsafeBytes { collected in
            UnsafeRawBufferPointer(rebasing: collected[from...]).firstEmptyLine.map { from + $0 }
        }
        if let end {
            header = nil
            feedHeader(collected[..<end])
            collected.withUnsafeBytes { feedBody(UnsafeRawBufferPointer(rebasing: $0[(end + 2)...])) }
        } else if collected.count > Self.maxHeaderBytes {
            feedAllFields(collected[...])
            header = nil
        } else {
            header = collected
        }
    }

    private mutating func feedHeader(_ bytes: ArraySlice<UInt8>) {
        guard coverage == .identity, let identity = bytes.withUnsafeBytes({ MessageIdentity($0) }) else {
            return feedAllFields(bytes)
        }
        isIdentified = true
        identity.bytes.withUnsafeBytes { hash.update($0) }
    }

    private mutating func feedAllFields(_ bytes: ArraySlice<UInt8>) {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count + 1)
        var isLeftOut = false
        // A line that is no field begins the body, also without an empty line: what follows is the author's.
        var isOver = false
        for (number, line) in bytes.split(separator: .lf, omittingEmptySubsequences: true).enumerated() {
            let isContinuation = line.first.map(ASCII.isBlank) ?? false
            if !isContinuation {
                let name = line.prefix { $0 != .colon && !ASCII.isBlank($0) }
                // `Status quo` without a colon is no field, and some readers end the header there.
                let isField = line[name.endIndex...].first { !ASCII.isBlank($0) } == .colon
                // The line that an mbox has above each message, as it is or quoted. `From : ann@example.com` is a field
                // (RFC 5322 §4.5).
                let isQuoted = line.starts(with: ">From ".utf8)
                if number == 0, isQuoted || !isField && line.starts(with: "From ".utf8) { continue }
                isOver = isOver || !isField && !isQuoted
                isLeftOut = isField && !isOver && TraceFieldNames.contains(name)
            }
            if !isLeftOut {
                kept.append(contentsOf: line)
                kept.append(.lf)
            }
        }
        kept.append(.lf)
        kept.withUnsafeBytes { hash.update($0) }
    }

    /// Empty lines at the very end are held back: mailbox formats and POP3 add or drop them.
    private mutating func feedBody(_ bytes: UnsafeRawBufferPointer) {
        guard let last = bytes.lastIndex(where: { $0 != .lf }) else { return pendingNewlines += bytes.count }
        feedNewlines()
        hash.update(UnsafeRawBufferPointer(rebasing: bytes[...last]))
        pendingNewlines = bytes.count - last - 1
    }

    /// Feeds the line ends that were held back: something follows.
    private mutating func feedNewlines() {
        guard pendingNewlines > 0 else { return }
        let newlines = [UInt8](repeating: .lf, count: min(pendingNewlines, 65536))
        for start in stride(from: 0, to: pendingNewlines, by: newlines.count) {
            let count = min(newlines.count, pendingNewlines - start)
            newlines.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        pendingNewlines = 0
    }
}

extension UnsafeRawBufferPointer {
    /// Index behind an empty line, with LF or CRLF, that has a line above it.
    fileprivate var headerEnd: Int? {
        guard let start = baseAddress else { return nil }
        var position = 0
        while let newline = memchr(start + position, Int32(UInt8.lf), count - position) {
            let line = position
            position = UnsafeRawPointer(newline) - start + 1
            let isEmpty = position - 1 == line || position - 2 == line && self[line] == .cr
            if isEmpty, line > 0 { return position }
        }
        return nil
    }

    /// Index of two LF one behind the other.
    fileprivate var firstEmptyLine: Int? {
        guard let start = baseAddress else { return nil }
        var position = 0
        while let newline = memchr(start + position, Int32(UInt8.lf), count - position) {
            position = UnsafeRawPointer(newline) - start + 1
            if position < count, self[position] == .lf { return position - 1 }
        }
        return nil
    }
}

extension SpoolDirectory {
    /// The fingerprint of a message that has its bytes, as versions before schema 10 computed it: rows of their time
    /// have no other. Throws `DiskError`.
    package func earlierFingerprint(of message: SpooledMessage) throws -> ContentDigest {
        try fingerprint(covering: .allFields, message.content.read)
    }

    /// The fingerprint of a message whose bytes `read` gives in order. Throws what that throws.
    package func fingerprint(
        _ read: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> ContentDigest { try fingerprint(covering: .identity, read) }

    private func fingerprint(
        covering coverage: ContentFingerprint.Coverage,
        _ read: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> ContentDigest {
        var fingerprint = ContentFingerprint(key: fingerprintKey, covering: coverage)
        try read { fingerprint.update($0) }
        return fingerprint.finalize()
    }
}

/// Both digests of a message, computed while it is streamed.
struct MessageDigests: ~Copyable {
    private var raw = SHA256()
    private var fingerprint: ContentFingerprint

    init(key: FingerprintKey?) { fingerprint = ContentFingerprint(key: key) }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        raw.update(bufferPointer: bytes)
        fingerprint.update(bytes)
    }

    mutating func finalize() -> (digest: ContentDigest, fingerprint: ContentDigest) {
        (ContentDigest(raw.finalize()), fingerprint.finalize())
    }
}
