package import FundCore
internal import CLinux
internal import Dispatch

/// Asks clamd(8) over its local socket. It gets the open file itself (`FILDES`), or where it may not read that, the
/// bytes (`INSTREAM`). Its settings `MaxScanSize` and `MaxFileSize` have to allow as much as a mail may have, and
/// `AlertExceedsMax` and `AlertEncrypted` have to be on: without them it says `OK` of what it did not look into.
package final class ClamScanner: ContentScanner {
    private static let connectTimeout = Duration.seconds(5)
    /// From the end of the question to the answer, of a scan.
    private static let scanTimeout = Duration.seconds(60)
    private static let chunkBytes = 1 << 17
    private static let maxAnswerBytes = 4096

    private let path: String
    private let queue = DispatchQueue(label: "fundmail.preview.scan", attributes: .concurrent)

    /// - Parameter path: of clamd's `LocalSocket`.
    package init(socket path: String) { self.path = path }

    package func verdict(of descriptor: Int32, size: Int64) async -> Verdict {
        await queue.run { [self] in
            do throws(ScannerError) {
                let answer = try ask { (connection: borrowing ScannerConnection) throws(ScannerError) in
                    try connection.send(Array("zFILDES\0".utf8), descriptor: descriptor)
                }
                // It may not read what another user's process has opened.
                guard answer.hasSuffix(" ERROR") else { return Self.verdict(answer) }
                return Self.verdict(
                    try ask { (connection: borrowing ScannerConnection) throws(ScannerError) in
                        try Self.stream(descriptor, size: size, over: connection)
                    })
            } catch { return .unscanned(problem: error.problem) }
        }
    }

    /// Of bytes that are in memory.
    package func verdict(of bytes: [UInt8]) async -> Verdict {
        guard let file = try? InputFile(bytes) else { return .unscanned(problem: "no file in memory") }
        return await verdict(of: file.descriptor, size: Int64(bytes.count))
    }

    package func signatures() async -> ScannerSignatures? {
        await queue.run { [self] in
            let answer = try? ask(within: Self.connectTimeout) {
                (connection: borrowing ScannerConnection) throws(ScannerError) in
                try connection.send(Array("zVERSION\0".utf8), descriptor: nil)
            }
            return answer.flatMap(Self.signatures)
        }
    }

    /// `ClamAV 1.4.3/27800/Wed Nov 25 09:00:00 2026`: the middle is the version of the signatures. Nil for other text.
    static func signatures(_ text: String) -> ScannerSignatures? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("ClamAV") else { return nil }
        return ScannerSignatures(text: text, version: parts.count > 1 ? Int64(parts[1]) ?? 0 : 0)
    }

    /// What clamd says of one file: `fd[10]: OK`, `stream: Eicar-Test-Signature FOUND`, `fd[10]: … ERROR`.
    static func verdict(_ answer: String) -> Verdict {
        // What it could not take apart or take in is no fault of the scanner: it would say so again.
        if answer.hasSuffix(" ERROR") { return .limit }
        let text = answer.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        if text == "OK" { return .clean }
        guard text.hasSuffix(" FOUND") else { return .unscanned(problem: "clamd said: \(answer.prefix(200))") }
        let name = text.dropLast(" FOUND".count)
        // Settings that say so instead of `OK`.
        if name.hasPrefix("Heuristics.Limits.Exceeded") { return .limit }
        if name.hasPrefix("Heuristics.Encrypted") { return .encrypted }
        return .infected(name: String(name.prefix(200)))
    }

    /// - Parameter timeout: for the answer.
    private func ask(
        within timeout: Duration = scanTimeout,
        _ question: (borrowing ScannerConnection) throws(ScannerError) -> Void
    ) throws(ScannerError) -> String {
        let connection = try ScannerConnection(path, timeout: Self.connectTimeout)
        do throws(ScannerError) { try question(connection) } catch {
            // It answers and hangs up when it has enough, before all was sent.
            if let answer = try? connection.answer(within: Self.connectTimeout, atMost: Self.maxAnswerBytes) {
                return answer
            }
            throw error
        }
        return try connection.answer(within: timeout, atMost: Self.maxAnswerBytes)
    }

    private static func stream(
        _ descriptor: Int32, size: Int64, over connection: borrowing ScannerConnection
    ) throws(ScannerError) {
        try connection.send(Array("zINSTREAM\0".utf8), descriptor: nil)
        var chunk = [UInt8](repeating: 0, count: 4 + chunkBytes)
        var position: Int64 = 0
        while position < size {
            let count = chunk.withUnsafeMutableBytes {
                SystemCall.fill(UnsafeMutableRawBufferPointer(rebasing: $0[4...]), from: descriptor, at: position)
            }
            guard count > 0 else { throw ScannerError("the file cannot be read") }
            withUnsafeBytes(of: UInt32(count).bigEndian) { chunk.replaceSubrange(0..<4, with: $0) }
            try connection.send(Array(chunk[..<(4 + count)]), descriptor: nil)
            position += Int64(count)
        }
        try connection.send([0, 0, 0, 0], descriptor: nil)
    }
}

/// Why a scanner gives no verdict.
struct ScannerError: Error {
    /// In words for an administrator.
    var problem: String

    init(_ problem: String) { self.problem = problem }
}
