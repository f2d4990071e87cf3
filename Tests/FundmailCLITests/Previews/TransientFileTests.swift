import FundCore
import FundPreview
import FundStore
import TestSupport
import Testing

@testable import FundmailCLI

/// Files that the store does not have, shown from a copy by the processes that make previews in `serve`.
@Suite(.startsPrograms) struct TransientFileTests {
    private static let most: Int64 = 1_000_000

    /// Says one thing of every content.
    private struct Scanner: ContentScanner {
        let verdict: Verdict

        func verdict(of descriptor: Int32, size: Int64) async -> Verdict { verdict }
        func verdict(of content: any StoredContent) async throws -> Verdict { verdict }
        func signatures() async -> ScannerSignatures? { ScannerSignatures(text: "test", version: 1) }
    }

    /// - Parameters:
    ///   - freeBytes: of the disk that takes large copies.
    ///   - verdict: of a scanner; nil for none.
    private func copying(
        freeBytes: Int64 = .max, verdict: Verdict? = nil,
        _ body: (PreviewService, _ held: PreviewedStore) async throws -> Void
    ) async throws {
        let held = try await PreviewedStore()
        let scan = verdict.map { ScanSettings(scanner: Scanner(verdict: $0), quarantine: held.store.quarantine) }
        let converter = ConverterProcess(.child(executable: BuiltProgram().path, sandbox: .best), atMost: 1)
        let workers = PreviewWorkers(
            register: held.store.previews, converter: converter, settings: PreviewSettings(maxJobs: 1, minFreeBytes: 0),
            folder: held.folder, scan: scan, freeBytes: { freeBytes }, contents: { _, _ in nil })
        let result: Result<Void, any Error>
        do { result = .success(try await body(PreviewService(workers), held)) } catch { result = .failure(error) }
        await converter.shutdown()
        try held.store.close()
        try result.get()
    }

    /// Gives bytes in two pieces.
    private static func reading(_ bytes: [UInt8]) -> PieceReading {
        { take in
            let half = bytes.count / 2
            try bytes[..<half].withUnsafeBytes(take)
            try bytes[half...].withUnsafeBytes(take)
        }
    }

    @Test
    func aTextIsReadFromItsCopy() async throws {
        try await copying { service, held in
            let bytes = Array("Fund,Fee\nHarbour,12\n".utf8)
            let file = try await service.transientFile(
                of: Int64(bytes.count), atMost: Self.most, reading: Self.reading(bytes))
            #expect(file.info.type == .text && file.size == Int64(bytes.count))
            #expect(String(decoding: try await file.words(page: 1), as: UTF8.self).contains("Harbour,12"))
            #expect(try await file.words(page: 2).isEmpty)
            guard case .table(let table) = try await file.fields() else {
                Issue.record("no table")
                return
            }
            #expect(table.rows == [["Fund", "Fee"], ["Harbour", "12"]])
            await #expect(throws: RenditionFailure.unsupported) { _ = try await file.picture(.page, page: 1) }
            // Nothing of it is kept.
            #expect(try await held.store.previews.countWaiting(Set(PreviewOrder.Priority.allCases)) == 0)
            #expect(try await held.store.previews.summaries(of: [.of(bytes)]).isEmpty)
        }
    }

    /// Where nothing is given before a scan, a copy is scanned before it is shown.
    @Test(arguments: [Verdict.clean, .encrypted, .infected(name: "Test"), .limit, .unscanned(problem: "none")])
    func aHeldCopyIsScannedFirst(_ verdict: Verdict) async throws {
        let bytes = Array("Fund,Fee\n".utf8)
        try await copying(verdict: verdict) { service, held in
            func show() async throws {
                _ = try await service.transientFile(of: 9, atMost: Self.most, reading: Self.reading(bytes))
            }
            try await show()
            held.store.holdUnscanned()
            switch verdict {
            case .clean, .encrypted: try await show()
            case .infected: await #expect(throws: RenditionFailure.quarantined) { try await show() }
            case .limit, .unscanned:
                await #expect { try await show() } throws: { ($0 as? StoreError)?.code == .unscanned }
            }
        }
    }

    /// A store may send more than it said, and a file of unknown size is bounded as well.
    @Test
    func aCopyIsBounded() async throws {
        try await copying { service, _ in
            let bytes = Array(repeating: UInt8(ascii: "x"), count: 2000)
            for (size, most) in [(1000, 5000), (nil, 1000), (2000, 1999)] as [(Int64?, Int64)] {
                await #expect(throws: RenditionFailure.tooLarge) {
                    _ = try await service.transientFile(of: size, atMost: most, reading: Self.reading(bytes))
                }
            }
            await #expect(throws: RenditionFailure.unsupported) {
                _ = try await service.transientFile(of: 0, atMost: Self.most, reading: Self.reading([]))
            }
            let noise = (0..<2000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            await #expect(throws: RenditionFailure.unsupported) {
                _ = try await service.transientFile(of: 2000, atMost: Self.most, reading: Self.reading(noise))
            }
        }
        // A large one needs room on the disk.
        try await copying(freeBytes: 1000) { service, _ in
            await #expect {
                _ = try await service.transientFile(of: 20 << 20, atMost: 64 << 20, reading: Self.reading([1, 2]))
            } throws: { ($0 as? StoreError)?.code == .outOfSpace }
        }
    }
}
