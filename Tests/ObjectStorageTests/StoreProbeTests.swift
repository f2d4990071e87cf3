import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.startsPrograms) struct StoreProbeTests {
    @Test func swiftDoesAllButChecksums() throws {
        let bucket = try StoreHarness().bucket()
        let found = try StoreProbe(bucket).run()
        #expect(found.hasConditionalPut && found.hasRanges && found.listsAtOnce && found.hasMultipart)
        #expect(found.checksSignatures && found.checksPayloads)
        #expect(found.findings.allSatisfy { $0.isThere })
        #expect(try bucket.names() == [])
    }

    @Test(.enabled(if: ObjectStoreServer.hasMoto)) func motoTakesAnyKey() throws {
        let server = try ObjectStoreServer(.moto)
        defer { server.stop() }
        let bucket = try StoreHarness(on: server).bucket()
        let found = try StoreProbe(bucket).run()
        #expect(found.hasConditionalPut && found.hasRanges && found.listsAtOnce && found.hasMultipart)
        #expect(!found.checksSignatures && !found.checksPayloads)
        #expect(found.findings.first?.text.contains("wrong key") == true)
    }

    /// A store that ignores what it does not know, as some do.
    @Test func aStoreThatIgnoresConditionsIsFound() throws {
        let harness = try StoreHarness()
        let proxy = try FaultyHTTPProxy(to: harness.server.port)
        defer { proxy.stop() }
        proxy.arrange(.answer(501), for: "uploads=")
        let found = try StoreProbe(harness.bucket(port: proxy.port)).run()
        #expect(!found.hasMultipart && found.hasConditionalPut)
    }

    @Test func aStoreThatKeepsWhatIsDeletedCannotBeUsed() throws {
        let harness = try StoreHarness()
        let proxy = try FaultyHTTPProxy(to: harness.server.port)
        defer { proxy.stop() }
        proxy.arrange(.answer(204), for: "DELETE", times: 100)
        let error = #expect(throws: ObjectStorageError.self) {
            try StoreProbe(harness.bucket(port: proxy.port)).run()
        }
        #expect(error?.code == .unsupported)
    }
}
