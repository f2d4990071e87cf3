internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct SecondFactorStoreTests {
    private static func session(_ harness: StoreHarness) async throws -> FactorSession {
        let token = try await harness.store.accounts.addToken(
            NewToken(user: harness.ann.id, kind: .web, label: "t", digest: .of("t".utf8), createdAt: 1000))
        return FactorSession(user: harness.ann.id, token: token.id, now: 1000)
    }

    private static func passkey(_ number: UInt8, counter: Int64 = 0) -> NewPasskey {
        NewPasskey(
            key: PasskeyKey(credential: [number], algorithm: -8, publicKey: [9, number]), counter: counter,
            name: "Key \(number)")
    }

    @Test func areKeptAndCount() async throws {
        let harness = try await StoreHarness()
        let (accounts, session) = (harness.store.accounts, try await Self.session(harness))
        let codes = (0..<3).map { ContentDigest.of([UInt8($0)]) }
        var version = try await accounts.accountVersion()
        #expect(try await accounts.addPasskey(Self.passkey(1), codes: codes, in: session))
        // Answers of before do not hold any more.
        #expect(try await accounts.accountVersion() > version)
        version = try await accounts.accountVersion()
        #expect(try await !accounts.addPasskey(Self.passkey(2), codes: [.of("x".utf8)], in: session))
        let app = CodeApp(sealed: [1, 2], lastStep: 7, createdAt: 1000)
        #expect(try await !accounts.setCodeApp(app, codes: codes, in: session))
        #expect(try await accounts.codeApp(of: harness.ann.id) == app)
        #expect(try await accounts.accountVersion() > version)
        let factors = try await accounts.secondFactors(of: harness.ann.id)
        #expect(factors.passkeyCount == 2 && factors.hasCodeApp && factors.recoveryCodesLeft == 3)
        #expect(try await accounts.account(harness.ann.id)?.factors == factors)
        #expect(try await accounts.token(.of("t".utf8))?.hasSecondFactor == true)
        let found = try #require(try await accounts.passkey(credential: [2]))
        #expect(found.user == harness.ann && found.passkey.key == Self.passkey(2).key)
        #expect(try await accounts.passkey(credential: [3]) == nil)
        await #expect { _ = try await accounts.addPasskey(Self.passkey(1), codes: [], in: session) } throws: {
            ($0 as? StoreError)?.code == .alreadyExists
        }
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    @Test func stepsAndCodesAreSpentOnce() async throws {
        let harness = try await StoreHarness()
        let (accounts, session) = (harness.store.accounts, try await Self.session(harness))
        #expect(try await !accounts.spendStep(5, of: harness.ann.id))
        _ = try await accounts.setCodeApp(
            CodeApp(sealed: [1], lastStep: 7, createdAt: 1), codes: [.of("a".utf8)], in: session)
        for (step, isTaken) in [(7, false), (8, true), (8, false), (6, false), (10, true), (9, false)] {
            #expect(try await accounts.spendStep(Int64(step), of: harness.ann.id) == isTaken)
        }
        // A clock that was days ahead took a step: the right ones are taken again, each once, and none goes back.
        for (step, isTaken) in [
            (9000, true), (8998, false), (11, true), (11, false), (9, false), (12, true), (10, false),
        ] {
            #expect(try await accounts.spendStep(Int64(step), of: harness.ann.id) == isTaken, "\(step)")
        }
        // Also where the app is set up once more by an older code.
        _ = try await accounts.setCodeApp(CodeApp(sealed: [1], lastStep: 9, createdAt: 2), codes: [], in: session)
        #expect(try await !accounts.spendStep(12, of: harness.ann.id))
        for isTaken in [true, false] {
            #expect(
                try await accounts.spendRecoveryCode(.of("a".utf8), of: harness.ann.id, at: 5) == isTaken)
        }
        #expect(try await accounts.secondFactors(of: harness.ann.id).areAsked)
        #expect(try await accounts.secondFactors(of: harness.ann.id).recoveryCodesLeft == 0)
        #expect(try await accounts.removeCodeApp(in: session, rule: .none))
        #expect(try await accounts.secondFactors(of: harness.ann.id) == SecondFactors())
    }

    /// Two calls at a time with one counter, or one code: one of them is taken.
    @Test func raceForOneIsWonByOne() async throws {
        let harness = try await StoreHarness()
        let (accounts, session, ann) = (harness.store.accounts, try await Self.session(harness), harness.ann.id)
        _ = try await accounts.addPasskey(Self.passkey(1, counter: 1), codes: [.of("a".utf8)], in: session)
        let id = try #require(try await accounts.passkeys(of: ann).first?.id)
        async let first = accounts.usePasskey(id, counter: 2, at: 1)
        async let second = accounts.usePasskey(id, counter: 2, at: 1)
        #expect(try await [first, second].filter { $0 }.count == 1)
        async let one = accounts.spendRecoveryCode(.of("a".utf8), of: ann, at: 1)
        async let other = accounts.spendRecoveryCode(.of("a".utf8), of: ann, at: 1)
        #expect(try await [one, other].filter { $0 }.count == 1)
    }

    @Test func aPersonHasAsManyAsDevices() async throws {
        let harness = try await StoreHarness()
        let session = try await Self.session(harness)
        for number in 0..<20 as Range<UInt8> {
            _ = try await harness.store.accounts.addPasskey(Self.passkey(number), codes: [], in: session)
        }
        await #expect {
            _ = try await harness.store.accounts.addPasskey(Self.passkey(99), codes: [], in: session)
        } throws: {
            ($0 as? StoreError)?.code == .invalid
        }
    }

    /// A store that the version before this one wrote is taken on with nothing lost, and has no factors.
    @Test func anOlderStoreGetsTheTables() async throws {
        let harness = try await StoreHarness()
        try harness.store.close()
        try DatabaseFile.change(StoreLocation(root: harness.folder + "/store").database) { db in
            for table in ["passkey", "code_app", "recovery_code", "factor_notice"] {
                try db.execute("DROP TABLE \(table)")
            }
            try db.execute("DELETE FROM grdb_migrations WHERE identifier = '10'")
        }
        harness.store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        #expect(try await harness.store.accounts.account(harness.ann.id)?.factors == SecondFactors())
        let session = try await Self.session(harness)
        #expect(try await harness.store.accounts.addPasskey(Self.passkey(1), codes: [], in: session) == true)
        #expect(try await harness.store.maintenance.verify().findings == [])
    }
}
