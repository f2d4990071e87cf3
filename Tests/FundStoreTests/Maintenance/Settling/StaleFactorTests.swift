import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Second factors of a backup that come in the place of lost ones keep out who was kept out since.
@Suite struct StaleFactorTests {
    private let damaged: DamagedStore
    private var store: FundStore { damaged.harness.store }
    private var ann: User { damaged.harness.ann }

    /// A store with its backup, after which one of two passkeys was removed, another one was added, and a recovery code
    /// was used.
    init() async throws {
        damaged = try await DamagedStore()
        let (store, ann) = (damaged.harness.store, damaged.harness.ann)
        let token = try await store.accounts.addToken(
            NewToken(user: ann.id, kind: .web, label: "t", digest: .of("t".utf8), createdAt: .now))
        let session = FactorSession(user: ann.id, token: token.id, now: .now)
        func add(_ number: UInt8) async throws {
            _ = try await store.accounts.addPasskey(
                NewPasskey(
                    key: PasskeyKey(credential: [number], algorithm: -8, publicKey: [number]), counter: 0,
                    name: "Key \(number)"),
                codes: [.of("used".utf8), .of("left".utf8)], in: session)
        }
        try await add(1)
        try await add(2)
        _ = try await store.maintenance.backUp(to: damaged.backup)
        let first = try #require(try await store.accounts.passkeys(of: ann.id).first)
        _ = try await store.accounts.removePasskey(first.id, in: session, rule: .none)
        try await add(3)
        _ = try await store.accounts.spendRecoveryCode(.of("used".utf8), of: ann.id, at: .now)
    }

    private func repair(without tables: [String]) async throws -> VerifyReport {
        for table in tables { try damaged.zeroPage(of: table) }
        return try await store.maintenance.verify(repairing: KnownParts([]), from: damaged.backup)
    }

    private func names() async throws -> [String] {
        try await store.accounts.passkeys(of: ann.id).map(\.name)
    }

    @Test func removedPasskeysStayAway() async throws {
        let report = try await repair(without: ["passkey"])
        let names = try await names()
        #expect(!names.contains("Key 1") && names.contains("Key 2"), "\(names) \(report.findings)")
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Without checksums nothing proves that a passkey was not removed.
    @Test func unprovedPasskeysGo() async throws {
        _ = try await repair(without: ["passkey", "row_check"])
        #expect(try await !names().contains("Key 1"))
        #expect(try await store.maintenance.verify().findings == [])
        // The recovery codes are there, so that the password alone opens nothing.
        #expect(try await store.accounts.secondFactors(of: ann.id).areAsked)
    }

    @Test func usedCodesStayUsed() async throws {
        let report = try await repair(without: ["recovery_code"])
        for code in ["used", "left"] {
            #expect(try await !store.accounts.spendRecoveryCode(.of(code.utf8), of: ann.id, at: .now))
        }
        #expect(try await store.accounts.secondFactors(of: ann.id).areAsked)
        #expect(report.findings.contains { $0.detail.contains("user second-factor remove") }, "\(report.findings)")
        #expect(try await store.maintenance.verify().findings == [])
    }
}
