import FundCore
import Testing

@testable import FundStore

@Suite struct FingerprintKeyTests {
    private static let text = "From: ann\nSubject: [Fund1] Q3\n\nbody"
    private static let copy = "Received: by another\n" + text + "\n"

    @Test func everyStoreHasItsOwn() async throws {
        let harness = try await StoreHarness()
        let other = try await StoreHarness()
        let fingerprint = try harness.spool(Self.text).fingerprint
        #expect(try harness.spool(Self.copy).fingerprint == fingerprint)
        #expect(try other.spool(Self.text).fingerprint != fingerprint)
        try harness.reopen()
        #expect(try harness.spool(Self.copy).fingerprint == fingerprint)
    }

    /// Mail that came before there was a key is still recognised.
    @Test func anOlderStoreGoesOnWithoutOne() async throws {
        let harness = try await StoreHarness()
        try harness.store.connection.write("go back") { try $0.execute("DELETE FROM fingerprint_key") }
        try harness.reopen()
        #expect(try await harness.file(Self.text).outcome == .filed)
        // The migration of a store that has mail.
        try harness.store.connection.write("go back") { try StoreFingerprints.begin($0) }
        try harness.reopen()
        #expect(try await harness.file(Self.copy).outcome == .duplicate)
        #expect(try harness.count("fingerprint_key") == 0)
    }

    @Test func aKeyThatIsNoneIsSaid() async throws {
        let harness = try await StoreHarness()
        try harness.store.connection.write("damage") {
            try $0.execute("UPDATE fingerprint_key SET value = x'00'")
        }
        #expect { try harness.reopen() } throws: { ($0 as? StoreError)?.code == .corrupted }
    }
}
