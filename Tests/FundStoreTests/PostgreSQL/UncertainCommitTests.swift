import FundCore
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// A store whose line to the server of its rows is cut at a commit: whether the rows are there is not known, and no
/// bytes that they may need are given up.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable), .rowsOnServer) struct UncertainCommitTests {
    /// A store over a line that is cut at the first commit of rows for records, and where its files go.
    private struct Cut {
        let harness: StoreHarness
        let store: FundStore
        var place: LibraryPlace { LibraryPlace(fund: harness.fund.id) }
        var ann: User.ID { harness.ann.id }

        init(_ moment: FailingLine.Moment) async throws {
            harness = try await StoreHarness()
            let line = try FailingLine(to: PostgreSQLServer.shared.get().port)
            let rows = try #require(harness.rows).with(host: "127.0.0.1", port: line.port)
            let isCut = Flag()
            let faults = FaultInjection { point in
                if point == .beforeCommit, isCut.raise() { line.cut(moment, "COMMIT\0") }
            }
            store = try FundStore.open(at: harness.folder + "/store", rows: rows, faults: faults)
        }

        func add(_ name: String, _ bytes: [UInt8]) async throws {
            let upload = try store.library.makeUpload(named: name, announcing: Int64(bytes.count))
            try bytes.withUnsafeBytes { try upload.append($0) }
            let target = FileTarget(name, in: place, ifTaken: .number)
            _ = try await store.library.addFile(
                try upload.finish(contentType: "text/plain"), at: target, of: ann)
        }

        /// Whether another process finds these bytes once this one has ended, and leftovers were swept.
        func finds(_ contents: [[UInt8]]) async throws -> Bool {
            try store.close()
            try harness.reopen()
            _ = try await harness.store.maintenance.sweep()
            return try contents.allSatisfy { try harness.content(.of($0)) == $0 }
        }
    }

    private static let moments = [(FailingLine.Moment.beforeAnswer, 1), (.beforeServer, 0)]
    private static let large = 3_000_000

    @Test(arguments: moments, [1000, large]) func aFileKeepsItsBytes(
        _ moment: (at: FailingLine.Moment, kept: Int), _ size: Int
    ) async throws {
        let cut = try await Cut(moment.at)
        let (first, second) = (patternBytes(size), patternBytes(size, from: 1))
        #expect(await failure { try await cut.add("a", first) } == .uncertain)
        #expect(try cut.harness.count("file") == moment.kept)
        try await cut.add("b", second)
        #expect(try await cut.finds(moment.kept == 1 ? [first, second] : [second]))
    }

    @Test(arguments: moments) func anUploadThatIsResumedKeepsItsBytes(
        _ moment: (at: FailingLine.Moment, kept: Int)
    ) async throws {
        let cut = try await Cut(moment.at)
        let (library, bytes) = (cut.store.library, patternBytes(Self.large))
        let target = FileTarget("a", in: cut.place, ifTaken: .refuse)
        var upload: (any OpenUpload)? = try await library.beginUpload(
            UploadOrder(.file(target), contentType: "text/plain", length: nil), of: cut.ann)
        let key = try #require(upload?.key)
        try upload?.beginRequest(announcing: nil)
        try bytes.withUnsafeBytes { try upload?.append($0) }
        upload?.endRequest()
        try upload?.noteLength(Int64(Self.large))
        #expect(
            await failure { _ = try await library.completeUpload(try #require(upload), of: cut.ann) } == .uncertain)
        upload = nil
        let progress = try await library.uploadProgress(key, open: nil, of: cut.ann)
        #expect(progress.offset == Int64(Self.large))
        #expect((progress.file == nil) == (moment.kept == 0))
        if progress.file == nil {
            _ = try await library.completeUpload(try await library.resumeUpload(key, of: cut.ann), of: cut.ann)
        }
        #expect(try cut.harness.count("file") == 1)
        #expect(try await cut.finds([bytes]))
    }

    /// Mail comes again, and is filed once.
    @Test(arguments: moments) func mailIsFiledOnce(_ moment: (at: FailingLine.Moment, kept: Int)) async throws {
        let cut = try await Cut(moment.at)
        let part = StoreHarness.Part(name: "a", bytes: patternBytes(Self.large))
        func file() async throws {
            let message = try cut.harness.message("only here", parts: [part])
            let staged = try cut.store.mail.stage(message) { _, consume in
                try part.bytes.withUnsafeBytes(consume)
            }
            _ = try await cut.store.mail.commit([staged])
        }
        #expect(await failure { try await file() } == .uncertain)
        #expect(try cut.harness.count("email") == moment.kept)
        try await file()
        #expect(try cut.harness.count("email") == 1)
        #expect(try await cut.finds([part.bytes]))
    }
}
