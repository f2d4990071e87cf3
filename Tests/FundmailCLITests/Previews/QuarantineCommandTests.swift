import FundCore
import FundStore
import TestSupport
import Testing

/// `fundmail quarantine` on a real store, beside the process that holds it.
@Suite(.startsPrograms) struct QuarantineCommandTests {
    private func run(_ held: PreviewedStore, _ words: String...) async throws -> BuiltProgram.Finished {
        try await BuiltProgram().run(words + ["--store", held.folder + "/store"])
    }

    @Test func listsAndReleases() async throws {
        let held = try await PreviewedStore()
        let none = try await run(held, "quarantine", "list")
        #expect(none.isSuccess && none.output == "Nothing is in quarantine.\n", "\(none)")

        let file = try await held.put("virus.exe", Array("bad".utf8))
        try await held.store.quarantine.quarantine(file.digest, malware: "Eicar-Test", at: .now)
        let table = try await run(held, "quarantine", "list").output
        #expect(table.contains("kept") && table.contains("Eicar-Test") && table.contains(file.digest.hex), "\(table)")
        #expect(table.contains("ann@example.com Fund1 "), "\(table)")
        let line = try #require(try jsonLines(try await run(held, "quarantine", "list", "--json").output).first)
        #expect(line["sha256"] as? String == file.digest.hex && line["malware"] as? String == "Eicar-Test")
        #expect((line["places"] as? [[String: any Sendable]])?.first?["fund"] as? String == "Fund1", "\(line)")

        let released = try await run(held, "quarantine", "release", file.digest.hex)
        #expect(released.isSuccess && released.output == "Released \(file.digest.hex).\n", "\(released)")
        #expect(try await !held.store.quarantine.isQuarantined(file.digest))
        #expect(try await run(held, "quarantine", "list").output.contains("released by "))
        let audit = try await run(held, "audit", "--format", "json", "--subject", file.digest.hex)
        let actions = try jsonLines(audit.output).map { $0["action"] as? String }
        #expect(actions == ["blob.released", "blob.quarantined"], "\(audit)")
    }

    @Test func saysWhatIsWrong() async throws {
        let held = try await PreviewedStore()
        let wrong = try await run(held, "quarantine", "release", "12ab")
        #expect(wrong.status == 64 && wrong.errors.contains("64 hexadecimal digits"), "\(wrong)")
        let unknown = try await run(held, "quarantine", "release", String(repeating: "0", count: 64))
        #expect(unknown.status == 65 && unknown.output.isEmpty, "\(unknown)")
    }
}
