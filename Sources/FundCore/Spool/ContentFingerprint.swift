import Crypto
internal import Glibc

/// The digest by which two copies of a message are recognised although their bytes differ: all but the fields that
/// servers and mail stores add, line ends, and empty lines around the message. Computed in a stream.
///
/// Left out are the trace fields of RFC 5321 §4.4 (`Return-Path`, `Received`) and RFC 8601, what filters and delivery
/// agents write, and what mailbox formats and retrieval programs keep in the header (`TraceFieldNames`). Everything
/// that the author wrote is covered, so no other message has the same fingerprint.
struct ContentFingerprint {
    /// The parser refuses a longer header; what follows is hashed as it is.
    private static let maxHeaderBytes = 256 * 1024

    private var hash = SHA256()
    /// The header received so far, line ends normalised; nil after its end.
    private var header: [UInt8]? = []
    private var pendingCR = false
    private var pendingNewlines = 0
    private var scratch: [UInt8] = []

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        scratch.removeAll(keepingCapacity: true)
        scratch.reserveCapacity(bytes.count + 1)
        appendNormalised(bytes)
        guard header != nil else { return feedBody(scratch[...]) }
        collectHeader()
    }

    mutating func finalize() -> ContentDigest {
        if pendingCR { scratch = [.cr] } else { scratch = [] }
        pendingCR = false
        if header == nil { feedBody(scratch[...]) } else { header?.append(contentsOf: scratch) }
        if let rest = header { feedHeader(rest[...]) }
        return ContentDigest(hash.finalize())
    }

    /// Appends to `scratch` with CRLF turned into LF; a CR at the end waits for what follows.
    private mutating func appendNormalised(_ bytes: UnsafeRawBufferPointer) {
        let bytes = bytes.assumingMemoryBound(to: UInt8.self)
        guard let base = bytes.baseAddress, let first = bytes.first else { return }
        if pendingCR, first != .lf { scratch.append(.cr) }
        pendingCR = false
        var start = 0
        while start < bytes.count {
            // memchr: this loop sees every byte of every message.
            let found = memchr(base + start, Int32(UInt8.cr), bytes.count - start)
            let cr = found.map { $0 - UnsafeMutableRawPointer(mutating: base) } ?? bytes.count
            scratch.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<cr]))
            start = cr + 1
            guard cr < bytes.count else { return }
            if start == bytes.count {
                pendingCR = true
            } else if bytes[start] != .lf {
                scratch.append(.cr)
            }
        }
    }

    private mutating func collectHeader() {
        guard var collected = header else { return }
        header = []  // so that the append below does not copy
        // Where the empty line may begin: three bytes back, in case it straddles two updates.
        let from = max(collected.count - 1, 0)
        collected.append(contentsOf: scratch)
        if collected.first == .lf { collected = Array(collected.drop { $0 == .lf }) }
        var index = min(from, collected.count)
        while index + 1 < collected.count {
            if collected[index] == .lf, collected[index + 1] == .lf {
                feedHeader(collected[..<index])
                header = nil
                return feedBody(collected[(index + 2)...])
            }
            index += 1
        }
        if collected.count > Self.maxHeaderBytes {
            feedHeader(collected[...])
            header = nil
        } else {
            header = collected
        }
    }

    private mutating func feedHeader(_ bytes: ArraySlice<UInt8>) {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count + 1)
        var isLeftOut = false
        // A line that is no field begins the body, also without an empty line: what follows is the author's.
        var isOver = false
        for (number, line) in bytes.split(separator: .lf, omittingEmptySubsequences: true).enumerated() {
            if number == 0, line.starts(with: "From ".utf8) || line.starts(with: ">From ".utf8) { continue }
            let isContinuation = line.first.map(ASCII.isBlank) ?? false
            if !isContinuation {
                let name = line.prefix { $0 != .colon && !ASCII.isBlank($0) }
                // `Status quo` without a colon is no field, and some readers end the header there.
                let isField = line[name.endIndex...].first { !ASCII.isBlank($0) } == .colon
                isOver = isOver || !isField && !line.starts(with: ">From ".utf8)
                isLeftOut = isField && !isOver && TraceFieldNames.contains(name)
            }
            if !isLeftOut {
                kept.append(contentsOf: line)
                kept.append(.lf)
            }
        }
        kept.append(.lf)
        kept.withUnsafeBytes { hash.update(bufferPointer: $0) }
    }

    /// Empty lines at the very end are held back: mailbox formats and POP3 add or drop them.
    private mutating func feedBody(_ bytes: ArraySlice<UInt8>) {
        guard let last = bytes.lastIndex(where: { $0 != .lf }) else { return pendingNewlines += bytes.count }
        if pendingNewlines > 0 {
            let newlines = [UInt8](repeating: .lf, count: min(pendingNewlines, 65536))
            for start in stride(from: 0, to: pendingNewlines, by: newlines.count) {
                let count = min(newlines.count, pendingNewlines - start)
                newlines.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        }
        bytes[...last].withUnsafeBytes { hash.update(bufferPointer: $0) }
        pendingNewlines = bytes.distance(from: last, to: bytes.endIndex) - 1
    }
}

/// Both digests of a message, computed while it is streamed.
struct MessageDigests {
    private var raw = SHA256()
    private var fingerprint = ContentFingerprint()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        raw.update(bufferPointer: bytes)
        fingerprint.update(bytes)
    }

    mutating func finalize() -> (digest: ContentDigest, fingerprint: ContentDigest) {
        (ContentDigest(raw.finalize()), fingerprint.finalize())
    }
}
