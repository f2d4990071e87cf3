import FundCore
import FundPreview
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundmailCLI

/// Scans that fail, that have no room, and that are of older signatures.
@Suite struct ScanQueueTests {
    /// Hangs at files that begin with "hang" until the test ends; says that all others are clean.
    private final class Scanner: ContentScanner {
        let version = Mutex<Int64>(1)
        let files = Mutex(0)
        let streams = Mutex(0)
        /// How often it was asked for its signatures.
        let questions = Mutex(0)
        let problem: String?

        init(problem: String? = nil) { self.problem = problem }

        func verdict(of descriptor: Int32, size: Int64) async -> Verdict {
            files.withLock { $0 += 1 }
            var bytes = [UInt8](repeating: 0, count: 4)
            _ = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: 0) }
            if bytes == Array("hang".utf8) {
                await untilCancelled()
                return .unscanned(problem: "cancelled")
            }
            return problem.map { .unscanned(problem: $0) } ?? .clean
        }

        func verdict(of content: any StoredContent) async throws -> Verdict {
            streams.withLock { $0 += 1 }
            return .clean
        }

        func signatures() async -> ScannerSignatures? {
            questions.withLock { $0 += 1 }
            return ScannerSignatures(text: "test", version: version.withLock { $0 })
        }
    }

    private struct NoConverter: Converter {
        func convert(_ conversion: Conversion, of input: Int32) async throws -> Converted {
            throw RenditionFailure.unsupported
        }

        func abilities() async throws -> ConverterAbilities { ConverterAbilities(sandbox: .namespaces, tools: []) }
    }

    private func scanning(
        _ scanner: Scanner, freeBytes: Int64 = .max, pace: PreviewUpkeep.Pace = PreviewUpkeep.Pace(),
        _ body: (PreviewedStore) async throws -> Void
    ) async throws {
        let held = try await PreviewedStore()
        let store = held.store
        store.holdUnscanned()
        var settings = PreviewSettings(maxJobs: 1, minFreeBytes: 0)
        settings.maxProcessorPressure = 100
        let workers = PreviewWorkers(
            register: store.previews, converter: NoConverter(), settings: settings, folder: held.folder,
            scan: ScanSettings(scanner: scanner, quarantine: store.quarantine),
            freeBytes: { freeBytes }, contents: { try store.unguardedContent(of: $0, size: $1) })
        let upkeep = PreviewUpkeep(
            workers, settings: settings, commits: store.library.commits, scanner: scanner, pace: pace)
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await workers.run() }
                group.addTask { await upkeep.run() }
            }
        }
        do { try await body(held) } catch {
            running.cancel()
            await running.value
            throw error
        }
        running.cancel()
        await running.value
    }

    private func becomesClean(_ file: FileEntry, _ held: PreviewedStore) async throws -> Bool {
        try await becomesTrue { try await held.store.previews.verdict(of: file.digest) == .clean }
    }

    @Test func filesAtWhichItHangsHoldNoOthersUp() async throws {
        try await scanning(Scanner()) { held in
            // More than are scanned at a time as long as all go quickly.
            for number in 0..<4 { try await held.put("bad\(number)", Array("hang\(number)".utf8)) }
            let good = try await held.put("good", Array("good".utf8))
            #expect(try await becomesClean(good, held))
        }
    }

    @Test func aFileAtWhichItFailsIsHeldAndTriedAgainLater() async throws {
        let scanner = Scanner(problem: "it fails")
        try await scanning(scanner) { held in
            let file = try await held.put("bad", Array("any".utf8))
            let previews = held.store.previews
            #expect(try await becomesTrue { scanner.files.withLock { $0 } == 1 })
            // The thumbnail waits for a verdict: it asks no scanner again, and reads nothing. A later file is scanned.
            try await held.put("later", Array("other".utf8))
            #expect(try await becomesTrue { scanner.files.withLock { $0 } == 2 })
            #expect(try await previews.verdict(of: file.digest) == nil)
            #expect(throws: StoreError.self) {
                _ = try held.store.library.content(of: file.digest, size: file.size)
            }
        }
    }

    @Test func whatTheDiskHasNoRoomForIsScannedWithoutACopy() async throws {
        let scanner = Scanner()
        try await scanning(scanner, freeBytes: 1 << 20) { held in
            let large = try await held.put("large", [UInt8](repeating: 7, count: (16 << 20) + 1))
            let small = try await held.put("small", Array("small".utf8))
            #expect(try await becomesClean(small, held))
            #expect(try await becomesClean(large, held))
            #expect(scanner.streams.withLock { $0 } == 1)
        }
    }

    @Test func olderSignaturesScanNothingAgain() async throws {
        let scanner = Scanner()
        scanner.version.withLock { $0 = 7 }
        var pace = PreviewUpkeep.Pace()
        (pace.pause, pace.idlePause, pace.signaturePeriod) = (.milliseconds(5), .milliseconds(5), .zero)
        try await scanning(scanner, pace: pace) { held in
            let file = try await held.put("file", Array("file".utf8))
            #expect(try await becomesClean(file, held))
            let count = scanner.files.withLock { $0 }
            scanner.version.withLock { $0 = 6 }
            let other = try await held.put("other", Array("other".utf8))
            #expect(try await becomesClean(other, held))
            // Two looks for what is to be scanned again, one of which began now, and what they order.
            let asked = scanner.questions.withLock { $0 }
            try await eventually {
                let waiting = try await held.store.previews.status().waiting.values.reduce(0, +)
                return waiting == 0 && scanner.questions.withLock { $0 } > asked + 2
            }
            #expect(scanner.files.withLock { $0 } == count + 1)
        }
    }
}
