internal import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// How many were at work at a time.
private final class Load: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func begin() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

    func end() { counts.withLock { $0.now -= 1 } }
}

@Suite struct PasswordTests {
    private let quick = ScryptParameters(logRounds: 4, blockSize: 8, parallelism: 1)

    /// Made with Python's hashlib.scrypt.
    @Test(arguments: [
        (
            "correct horse",
            "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$Q7EcH175P/kcU7JE2HRU+qTRrq/BS6UbCRYPdBaC5y8"
        ),
        (
            "héllo wörld",
            "$scrypt$ln=10,r=4,p=2$MDEyMzQ1Njc4OWFiY2RlZg$WCazQKOlHVTzNKOkavHRdGocfjupUMPZAst+LtSKKBI"
        ),
    ])
    func hashesOfOthersAreRead(password: String, text: String) throws {
        let hash = try #require(PasswordHash(text))
        #expect(hash.text == text)
        #expect(try hash.matches(Password(password)))
        #expect(try !hash.matches(Password(password + " ")))
    }

    @Test func aHashFitsItsPasswordOnly() throws {
        let hash = try PasswordHash(of: Password("caf\u{e9} au lait"), parameters: quick)
        #expect(try PasswordHash(of: Password("caf\u{e9} au lait"), parameters: quick).text != hash.text)
        for (typed, fits) in [
            ("caf\u{e9} au lait", true), ("cafe\u{301} au lait", true), ("cafe au lait", false),
            ("Caf\u{e9} au lait", false), ("caf\u{e9} au lait\0", false), ("", false),
        ] {
            #expect(try hash.matches(Password(typed)) == fits, "\(typed)")
        }
        for typed in ["", String(repeating: "x", count: 1025)] {
            #expect(try !PasswordHash(of: Password(typed), parameters: quick).matches(Password(typed)))
        }
        #expect(try !PasswordHash.unmatchable(quick).matches(Password("anything")))
    }

    /// 8,000 took 122 ms.
    @Test func longPasswordsCostLittle() throws {
        let text = marks(1_000_000)
        var password = Password("")
        #expect(processorTime { password = Password(text) } < .milliseconds(200))
        #expect(!password.isPossible && password.bytes.count == 1024)
        #expect(processorTime { _ = Password.problem(with: text, addresses: ["ann@example.com"]) } < .milliseconds(200))
        // The text has 3,069 bytes, and 1,023 as it is hashed.
        #expect(Password(String(repeating: "\u{1112}\u{1161}\u{11AB}", count: 341)).isPossible)
    }

    @Test(arguments: [
        "", "$", "plain", "$2b$12$abc", "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw",
        "$scrypt$ln=4,r=8$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8",
        // 64 GiB, no rounds, a short salt, a short hash, signs in numbers.
        "$scrypt$ln=24,r=32,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8",
        "$scrypt$ln=0,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8",
        "$scrypt$ln=4,r=8,p=1$AAEC$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8",
        "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAEC",
        "$scrypt$ln=+4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8",
        "$scrypt$ln=99999999999999999999,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8",
    ])
    func whatIsNoHashIsRefused(text: String) { #expect(PasswordHash(text) == nil) }

    @Test(arguments: [
        ("short", false), ("ann@example.com", false), ("ANN@example.com", false), ("aaaaaaaaaaaa", false),
        ("tab\there and more", false), (String(repeating: "long pass", count: 200), false),
        ("correct horse", true), ("пароль-пароль", true), ("1234567890", true), ("123456789", false),
    ])
    func newPasswordsAreJudged(text: String, isTaken: Bool) {
        #expect((Password.problem(with: text, addresses: ["ann@example.com"]) == nil) == isTaken)
    }

    @Test func generatedPasswordsAreTakenAndDiffer() {
        let passwords = (0..<100).map { _ in Password.generate() }
        #expect(Set(passwords).count == 100)
        for password in passwords {
            #expect(Password.problem(with: password, addresses: []) == nil)
            #expect(password.split(separator: "-").map(\.count) == [4, 4, 4, 4, 4])
        }
    }

    /// One place cannot take all the room from others.
    @Test func halfOfTheRoomIsForOthers() async throws {
        let workers = HashWorkers(count: 1, maxWaiting: 4)
        let gate = Gate()
        let refused = await withTaskGroup(of: Bool.self) { group in
            func add(_ origin: String) {
                group.addTask { (try? await workers.run(for: origin) { gate.wait() }) == nil }
            }
            for _ in 0..<6 { add("a") }
            var refused = 0
            while refused < 3, let isRefused = await group.next() { refused += isRefused ? 1 : 0 }
            for _ in 0..<3 { add("b") }
            while refused < 4, let isRefused = await group.next() { refused += isRefused ? 1 : 0 }
            gate.open()
            for await isRefused in group { refused += isRefused ? 1 : 0 }
            return refused
        }
        #expect(refused == 4 && workers.ended == 5)
    }

    /// Two at a time, three wait, the rest is refused at once.
    @Test func hashesAreBounded() async throws {
        let workers = HashWorkers(count: 2, maxWaiting: 3)
        let load = Load()
        let gate = Gate()
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<9 {
                group.addTask {
                    let isDone = try? await workers.run {
                        load.begin()
                        gate.wait()
                        load.end()
                        return true
                    }
                    return isDone ?? false
                }
            }
            var refused = 0
            var results: [Bool] = []
            for await isDone in group {
                results.append(isDone)
                if !isDone { refused += 1 }
                // Nothing is let go before all that will be refused are, and two are at it.
                guard refused == 4 else { continue }
                _ = try? await becomesTrue { load.most == 2 }
                gate.open()
            }
            return results
        }
        #expect(results.filter { $0 }.count == 5)
        #expect(load.most == 2)
        #expect(workers.ended == 5)
        #expect(try await workers.run { 7 } == 7)
    }
}
