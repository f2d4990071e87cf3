internal import ChildProcesses
package import FundCore
internal import CLinux
internal import Dispatch
internal import Glibc

/// Asks clamd(8) over its local socket. It gets the open file itself (`FILDES`), or where it may not read that, or
/// there is no file, the bytes (`INSTREAM`). Its settings `MaxScanSize` and `MaxFileSize` have to allow as much as a
/// mail may have, and `AlertExceedsMax` and `AlertEncrypted` have to be on: without them it says `OK` of what it did
/// not look into.
package final class ClamScanner: ContentScanner {
    private static let connectTimeout = Duration.seconds(5)
    /// Limit of each question of the probe, for which a clamd that is well takes a moment.
    private static let probeTimeout = Duration.seconds(30)
    private static let chunkBytes = 1 << 17
    private static let maxAnswerBytes = 4096

    private let path: String
    private let scanTimeout: Duration
    private let probe: ScannerProbe

    /// - Parameters:
    ///   - path: of clamd's `LocalSocket`.
    ///   - scanTimeout: of a whole scan, from the connection to the end of the answer.
    ///   - reloadTime: in which clamd certainly loads its signatures.
    package init(
        socket path: String, scanTimeout: Duration = .seconds(150), reloadTime: Duration = .seconds(60)
    ) {
        self.path = path
        self.scanTimeout = scanTimeout
        probe = ScannerProbe(reloadTime: reloadTime)
    }

    package func verdict(of descriptor: Int32, size: Int64) async -> Verdict {
        await confirmed(await answer(on: descriptor, size: size, within: scanTimeout))
    }

    /// Confirms a clean verdict: it counts when clamd looks into archives afterwards.
    private func confirmed(_ verdict: Verdict) async -> Verdict {
        guard verdict == .clean, let problem = await archiveProblem() else { return verdict }
        return .unscanned(problem: problem)
    }

    /// Why it does not look into archives; nil when it does, and where its signatures lack the test file.
    package func archiveProblem() async -> String? {
        await probe.look { bytes, way in
            guard let file = try? InputFile(bytes) else { return .unscanned(problem: "no file in memory") }
            return await answer(
                on: file.descriptor, size: Int64(bytes.count), by: way, within: min(scanTimeout, Self.probeTimeout))
        } reload: {
            _ = try? await command("zRELOAD\0")
        }
    }

    /// - Parameter way: where clamd does not take the file, it gets its bytes all the same.
    private func answer(
        on descriptor: Int32, size: Int64, by way: ScannerProbe.Way = .file, within timeout: Duration
    ) async -> Verdict {
        let problem: String
        do {
            return try await interruptible(within: timeout) { [self] interrupt in
                if way == .file, let verdict = try verdict(ofFile: descriptor, interrupt) { return verdict }
                return try stream(interrupt) {
                    try FileBytes.read(0..<size, of: descriptor, path: "the file", $0)
                }
            }
        } catch let error as ScannerError { problem = error.problem } catch { problem = "\(error)" }
        return .unscanned(problem: problem)
    }

    /// Nil where clamd does not take the file: it may not read what another user's process has opened.
    private func verdict(ofFile file: Int32, _ interrupt: ScannerInterrupt) throws(ScannerError) -> Verdict? {
        // The descriptor is for reading only.
        let readOnly = open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC)
        guard readOnly >= 0 else { return nil }
        defer { close(readOnly) }
        let answer = try ask(interrupt) { (connection: borrowing ScannerConnection) throws(ScannerError) in
            try connection.send("zFILDES\0")
            try connection.send(file: readOnly)
        }
        let verdict = Self.verdict(answer)
        if answer.hasSuffix(" ERROR"), case .unscanned = verdict, !Self.isOfFile(answer) { return nil }
        return verdict
    }

    package func verdict(of content: any StoredContent) async throws -> Verdict {
        do {
            let verdict = try await interruptible(within: scanTimeout) { [self] interrupt in
                try stream(interrupt) { try content.read(0..<content.size, $0) }
            }
            return await confirmed(verdict)
        } catch let error as ScannerError { return .unscanned(problem: error.problem) }
    }

    /// Scans bytes that are in memory.
    package func verdict(of bytes: [UInt8]) async -> Verdict {
        guard let file = try? InputFile(bytes) else { return .unscanned(problem: "no file in memory") }
        return await verdict(of: file.descriptor, size: Int64(bytes.count))
    }

    package func signatures() async -> ScannerSignatures? {
        let answer = try? await command("zVERSION\0")
        guard let signatures = answer.flatMap(Self.signatures) else { return nil }
        guard probe.isBad else { return signatures }
        // One that looks into no archive is as good as none, also for what it just was asked.
        _ = await archiveProblem()
        return nil
    }

    /// A question about clamd itself.
    private func command(_ text: String) async throws -> String {
        try await interruptible(within: Self.connectTimeout) { [self] interrupt in
            try ask(interrupt) { (connection: borrowing ScannerConnection) throws(ScannerError) in
                try connection.send(text)
            }
        }
    }

    /// `ClamAV 1.4.3/27800/Wed Nov 25 09:00:00 2026`: the middle is the version of the signatures. Nil for other text.
    static func signatures(_ text: String) -> ScannerSignatures? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("ClamAV") else { return nil }
        return ScannerSignatures(text: text, version: parts.count > 1 ? Int64(parts[1]) ?? 0 : 0)
    }

    /// Texts of clamd when a limit of size, number or depth ends its look at a file (`INSTREAM` in clamd(8),
    /// `cl_strerror` of libclamav, now and before version 1.0): it would say so again.
    private static let limits = ["INSTREAM size limit exceeded.", "Exceeded max ", "CL_EMAX"]
    /// Texts of clamd when time or the file's own form ended its look. That may have been the load of the machine, or a
    /// fault of clamd: it is tried again. All else that ends with `ERROR` speaks of clamd itself, as of its temporary
    /// folder.
    private static let ends = [
        "Exceeded time limit", "CL_ETIMEOUT", "Bad format or broken data", "CL_EFORMAT", "Can't parse data",
    ]

    /// Whether it would say so of the same bytes, too.
    private static func isOfFile(_ answer: String) -> Bool { begins(answer, with: ends) }

    /// The answer itself, or what it says of its file.
    private static func begins(_ answer: String, with words: [String]) -> Bool {
        let text = answer.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        return words.contains { answer.hasPrefix($0) || text.hasPrefix($0) }
    }

    /// Reads clamd's answer for one file: `fd[10]: OK`, `stream: Eicar-Test-Signature FOUND`, `fd[10]: … ERROR`.
    static func verdict(_ answer: String) -> Verdict {
        let failure = Verdict.unscanned(problem: "clamd said: \(printable(answer))")
        let text = answer.drop { $0 != ":" }.dropFirst().drop { $0 == " " }
        if answer.hasSuffix(" ERROR") { return begins(answer, with: limits) ? .limit : failure }
        if text == "OK" { return .clean }
        guard text.hasSuffix(" FOUND"), !text.contains(where: \.isNewline) else { return failure }
        let name = text.dropLast(" FOUND".count)
        // Settings that say so instead of `OK`. Time is no property of a file.
        if name == "Heuristics.Limits.Exceeded.MaxScanTime" { return failure }
        if name.hasPrefix("Heuristics.Limits.Exceeded") { return .limit }
        if name.hasPrefix("Heuristics.Encrypted") { return .encrypted }
        return .infected(name: printable(name))
    }

    /// For logs and terminals.
    private static func printable(_ text: some StringProtocol) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map {
                    $0.properties.generalCategory == .control ? "?" : $0
                }))
    }

    /// Runs `body`, which blocks, apart from Swift's threads; it ends after `timeout`, or when the task is cancelled.
    private func interruptible<Value: Sendable>(
        within timeout: Duration, _ body: @escaping @Sendable (ScannerInterrupt) throws -> Value
    ) async throws -> Value {
        let interrupt = ScannerInterrupt()
        return try await withTaskCancellationHandler {
            let timer = Task {
                try await Task.sleep(for: timeout)
                interrupt.end("clamd does not answer within \(timeout)")
            }
            defer { timer.cancel() }
            return try await DispatchQueue.runAlone("fundmail.preview.scan") { try body(interrupt) }
        } onCancel: {
            interrupt.end("the scan was cancelled")
        }
    }

    private func ask(
        _ interrupt: ScannerInterrupt,
        _ question: (borrowing ScannerConnection) throws(ScannerError) -> Void
    ) throws(ScannerError) -> String {
        let connection = try ScannerConnection(path, timeout: Self.connectTimeout, interrupt)
        do throws(ScannerError) { try question(connection) } catch {
            // It answers and hangs up when it has enough, before all was sent.
            if let answer = try? connection.answer(atMost: Self.maxAnswerBytes) { return answer }
            throw error
        }
        return try connection.answer(atMost: Self.maxAnswerBytes)
    }

    /// Sends the bytes that `read` gives to its argument, in order.
    private func stream(
        _ interrupt: ScannerInterrupt, _ read: (_ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> Verdict {
        let connection = try ScannerConnection(path, timeout: Self.connectTimeout, interrupt)
        do {
            try connection.send("zINSTREAM\0")
            try Self.send(over: connection, read)
        } catch let error as ScannerError {
            // An answer that came before the failure counts, as in `ask`.
            guard let answer = try? connection.answer(atMost: Self.maxAnswerBytes) else { throw error }
            return Self.verdict(answer)
        }
        return Self.verdict(try connection.answer(atMost: Self.maxAnswerBytes))
    }

    private static func send(
        over connection: borrowing ScannerConnection,
        _ read: (_ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        try read { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(chunkBytes)
                try withUnsafeBytes(of: UInt32(part.count).bigEndian) { try connection.send($0) }
                try connection.send(UnsafeRawBufferPointer(rebasing: part))
                rest = rest.dropFirst(part.count)
            }
        }
        try withUnsafeBytes(of: UInt32(0)) { try connection.send($0) }
    }
}

/// Why a scanner gives no verdict.
struct ScannerError: Error {
    /// In words for an administrator.
    var problem: String

    init(_ problem: String) { self.problem = problem }
}
