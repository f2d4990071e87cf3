import FundCore
import FundPreview
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundmailCLI

/// `scan: {unscanned: hold}`: nothing is made of a file, and no user gets it, before the scanner has looked at it.
@Suite struct HoldTests {
    /// Says that all is clean, or is not there.
    private struct Scanner: ContentScanner {
        var isThere: Bool

        func verdict(of descriptor: Int32, size: Int64) async -> Verdict {
            isThere ? .clean : .unscanned(problem: "not there")
        }

        func verdict(of content: any StoredContent) async -> Verdict { await verdict(of: 0, size: content.size) }

        func signatures() async -> ScannerSignatures? {
            isThere ? ScannerSignatures(text: "test", version: 1) : nil
        }
    }

    private final class CountingConverter: Converter {
        private let calls = Mutex(0)

        var count: Int { calls.withLock { $0 } }

        func convert(_ conversion: Conversion, of input: Int32) async throws -> Converted {
            calls.withLock { $0 += 1 }
            var info = FileInfo(conversion.type)
            info.pageCount = 1
            return conversion.work == .info
                ? .info(info) : .picture(Array("picture".utf8), width: 480, height: 480)
        }

        func abilities() async throws -> ConverterAbilities { ConverterAbilities(sandbox: .namespaces, tools: []) }
    }

    private func picture(
        _ scanner: Scanner, waitingAtMost wait: Duration
    ) async throws -> (answer: PreviewAnswer, conversions: Int, isGiven: Bool) {
        let held = try await PreviewedStore()
        let (store, converter) = (held.store, CountingConverter())
        store.holdUnscanned()
        let entry = try await held.put("a.pdf", Array("%PDF-1.4\n".utf8))
        var settings = PreviewSettings(maxJobs: 1, minFreeBytes: 0)
        settings.maxProcessorPressure = 100
        let workers = PreviewWorkers(
            register: store.previews, converter: converter, settings: settings, folder: held.folder,
            scan: ScanSettings(scanner: scanner, quarantine: store.quarantine),
            freeBytes: { .max }, contents: { try store.unguardedContent(of: $0, size: $1) })
        let running = Task { await workers.run() }
        let file = PreviewedFile(digest: entry.digest, size: entry.size)
        let answer = try await PreviewService(workers).picture(.thumbnail, page: 1, of: file, waitingAtMost: wait)
        let isGiven = (try? store.library.content(of: entry.digest, size: entry.size)) != nil
        running.cancel()
        await running.value
        return (answer, converter.count, isGiven)
    }

    @Test func waitsForTheScanner() async throws {
        let (answer, conversions, isGiven) = try await picture(Scanner(isThere: false), waitingAtMost: .seconds(1))
        guard case .making = answer else {
            Issue.record("it was made of what nobody looked at: \(answer)")
            return
        }
        #expect(conversions == 0 && !isGiven)
    }

    @Test func goesOnAfterTheVerdict() async throws {
        let (answer, conversions, isGiven) = try await picture(Scanner(isThere: true), waitingAtMost: .seconds(60))
        guard case .ready = answer else {
            Issue.record("it was not made: \(answer)")
            return
        }
        #expect(conversions >= 2 && isGiven)
    }
}
