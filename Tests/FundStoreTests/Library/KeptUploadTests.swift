internal import Glibc
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The bytes that an upload has after its process was killed, and after the power failed.
@Suite struct KeptUploadTests {
    private func order(_ harness: LibraryHarness, _ name: String = "a") -> UploadOrder {
        UploadOrder(
            .file(FileTarget(name, in: harness.top, ifTaken: .refuse)), contentType: "text/plain", length: nil)
    }

    private func append(_ bytes: [UInt8], to upload: any OpenUpload) throws {
        try upload.beginRequest(announcing: nil)
        try bytes.withUnsafeBytes { try upload.append($0) }
        upload.endRequest()
    }

    /// Under the same start of the machine the file tells; after another one what was made durable. What a client was
    /// told never gets less.
    @Test(arguments: [false, true]) func countsWhatIsDurable(_ hasFailed: Bool) async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        var upload: (any OpenUpload)? = try await library.beginUpload(order(harness), of: ann)
        let key = try #require(upload?.key)
        try append(patternBytes(100_000), to: try #require(upload))
        #expect(try upload?.sync() == 100_000)
        try append(patternBytes(131_072, from: 100_000), to: try #require(upload))
        await #expect(throws: StoreError.self) { try await library.uploadProgress(key, open: nil, of: ann) }
        upload = nil
        if hasFailed {
            try await library.connection.writing("test", on: library.connection.queues.changes) {
                try $0.execute("UPDATE upload SET boot = 'another'")
            }
        }
        let expected = hasFailed ? 100_000 : 196_608
        #expect(try await library.uploadProgress(key, open: nil, of: ann).offset == Int64(expected))
        let resumed = try await library.resumeUpload(key, of: ann)
        #expect(resumed.offset == expected)
        try append(patternBytes(2_000_000 - expected, from: expected), to: resumed)
        try resumed.noteLength(2_000_000)
        let file = try await library.completeUpload(resumed, of: ann)
        #expect(file.digest == .of(patternBytes(2_000_000)) && file.size == 2_000_000)
        #expect(try await library.uploadProgress(key, open: nil, of: ann).file == file.id)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Fewer bytes than a client was told: nothing may come of it.
    @Test func refusesWhatTheDiskLost() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        var upload: (any OpenUpload)? = try await library.beginUpload(order(harness), of: ann)
        let key = try #require(upload?.key)
        try append(patternBytes(100_000), to: try #require(upload))
        _ = try upload?.sync()
        upload = nil
        #expect(truncate("\(harness.base.folder)/store/tmp/upload-\(key)", 50_000) == 0)
        #expect(await failure { _ = try await library.uploadProgress(key, open: nil, of: ann) } == .notFound)
        #expect(await failure { _ = try await library.resumeUpload(key, of: ann) } == .notFound)
    }

    /// The database was brought back from before the upload was complete, and its process was killed at the end: the
    /// record of the newer log is not cut, and not made a part of an upload again.
    @Test func leavesWhatANewerLogHas() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, base) = (harness.store.library, harness.ann, harness.base)
        let location = harness.store.connection.location
        let upload = try await library.beginUpload(order(harness), of: ann)
        try append(patternBytes(1_500_000), to: upload)
        try upload.noteLength(1_500_000)
        try DatabaseFile.copy(location.database, to: location.root + "/older")
        let name = "\(location.temporary)/upload-\(upload.key)"
        try #require(link(name, name + ".kept") == 0)
        _ = try await library.completeUpload(upload, of: ann)
        try #require(rename(name + ".kept", name) == 0)
        try base.store.close()
        for suffix in ["-wal", "-shm"] { unlink(location.database + suffix) }
        try #require(rename(location.root + "/older", location.database) == 0)
        base.store = try FundStore.open(at: location.root, mode: .existing)
        let before = try TestFile.read(name)
        #expect(base.store.notice != nil && before.count > 1_500_000)
        #expect(await failure { _ = try await base.store.library.resumeUpload(upload.key, of: ann) } == .notFound)
        #expect(try TestFile.read(name) == before && TestFile.read("\(location.log)/000001.seg") == before)
    }

    /// A failure that is known when the bytes stand in the log already leaves the upload as it was.
    @Test func canBeCompletedLater() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let upload = try await library.beginUpload(order(harness), of: ann)
        try append(patternBytes(1_500_000), to: upload)
        try upload.noteLength(1_500_000)
        let kept = try #require(upload as? KeptUpload)
        let record = try #require(try kept.store(kept.digest))
        let directory = harness.store.log.directory
        #expect(directory.numbers(ofSameFileAs: kept.record.path) == [record.location.segment])
        record.takeBack()
        #expect(directory.numbers(ofSameFileAs: kept.record.path).isEmpty)
        let file = try await library.completeUpload(upload, of: ann)
        #expect(file.digest == .of(patternBytes(1_500_000)))
        #expect(await failure { _ = try await library.resumeUpload(upload.key, of: ann) } == .conflict)
    }
}
