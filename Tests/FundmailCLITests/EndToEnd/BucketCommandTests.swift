import FundCore
import ObjectStorage
import TestSupport
import Testing

/// A store whose segments go into a bucket of OpenStack Swift, by the program.
@Suite(.startsPrograms, .serialized) struct BucketCommandTests {
    /// A store with mail, and a bucket of its own.
    private static func make() async throws -> (store: ReplayStore, address: String) {
        let name = DiskDirectory.uniqueName(prefix: "program").lowercased().prefix(bytes: 50)
        let address = "s3://\(name)?endpoint=http://127.0.0.1:\(try ObjectStoreServer.shared.get().port)"
        try Bucket(
            BucketAddress(address, environment: [:]), keys: AccessKeySource(environment: ObjectStoreServer.environment)
        ).make()
        let store = try await ReplayStore().with(ObjectStoreServer.environment)
        try store.write(CrashMail.messages(20, fileBytes: 20_000))
        #expect(try await store.replay().isSuccess)
        return (store, address)
    }

    private static func counts(_ store: ReplayStore) async throws -> [String: any Sendable] {
        try #require(try jsonLines(await store.run("bucket", "show", "--json").output).first)
    }

    private static func expectSound(_ store: ReplayStore) async throws {
        let verified = try await store.run("verify")
        #expect(verified.output.contains("All is well"), "\(verified)")
    }

    @Test func segmentsGoAndComeBack() async throws {
        let (store, address) = try await Self.make()
        defer { store.remove() }
        let refused = try await store.run("bucket", "put")
        #expect(refused.status == 78 && refused.errors.contains("bucket add"), "\(refused)")
        let added = try await store.run("bucket", "add", address, "--keep", "0")
        #expect(added.isSuccess && added.output.contains("it refuses wrong keys"), "\(added)")
        let put = try await store.run("bucket", "put")
        #expect(put.isSuccess, "\(put)")
        let counts = try await Self.counts(store)
        let segments = try #require(counts["segments"] as? Int)
        #expect(segments > 0 && counts["waiting_segments"] as? Int == 0)
        #expect(counts["segments_without_file"] as? Int == segments)
        try await Self.expectSound(store)
        let doctor = try await store.run("doctor", "--offline")
        #expect(doctor.output.contains("on this disk only: nothing"), "\(doctor)")
        let rescued = try await store.run("bucket", "fetch", "--from", address, "--to", "\(store.folder)/rescued")
        #expect(rescued.isSuccess && rescued.output.hasPrefix("\(segments) segments in"), "\(rescued)")
        let fetched = try await store.run("bucket", "fetch")
        #expect(fetched.isSuccess && fetched.output.contains("Fetched \(segments)"), "\(fetched)")
        try await Self.expectSound(store)
    }

    @Test func withoutAKeyItIsTold() async throws {
        let (store, address) = try await Self.make()
        defer { store.remove() }
        #expect(try await store.run("bucket", "add", address).isSuccess)
        let other = store.with(["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": "/nonexistent"])
        let put = try await other.run("bucket", "put")
        #expect(put.status == 69 && put.errors.contains("AWS_ACCESS_KEY_ID"), "\(put)")
    }

    /// The process dies by SIGKILL at each step; the next one goes on.
    @Test(arguments: [
        FaultPoint.afterObjectRow, .afterObjectPut, .afterObjectWhole, .beforeFileGoes, .afterFileCame,
    ])
    func diesAtPoint(point: FaultPoint) async throws {
        let (store, address) = try await Self.make()
        defer { store.remove() }
        #expect(try await store.run("bucket", "add", address, "--keep", "0").isSuccess)
        let command = point == .afterFileCame ? "fetch" : "put"
        if command == "fetch" { #expect(try await store.run("bucket", "put").isSuccess) }
        let died = try await store.with(["FUNDMAIL_FAILPOINT": point.rawValue]).run("bucket", command)
        try #require(died.wasKilled, "\(point) was not reached: \(died)")
        try await Self.expectSound(store)
        let again = try await store.run("bucket", command)
        #expect(again.isSuccess, "\(again)")
        try await Self.expectSound(store)
        #expect(try await Self.counts(store)["waiting_segments"] as? Int == 0)
    }
}
