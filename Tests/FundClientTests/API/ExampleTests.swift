import Foundation
import TestSupport
import Testing

/// `Examples/FundExample`, as its first reader tries it.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct ExampleTests {
    @Test func worksOnlineAndOffline() async throws {
        let folder = try TestFile.makeFolder("example")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await FundmailServer()
        var fund = BuiltProgram(named: "fund")
        fund.environment = [
            "XDG_CONFIG_HOME": folder + "/config", "XDG_DATA_HOME": folder + "/data",
            "FUND_PASSWORD": FundmailServer.password,
        ]
        #expect(try await fund.run(["login", server.url, FundmailServer.user]).isSuccess)
        let bytes = patternBytes(3_000_000)
        try TestFile.write(bytes, to: folder + "/q3.pdf")
        #expect(try await fund.run(["put", folder + "/q3.pdf", "Fund1"]).isSuccess)

        var example = BuiltProgram(named: "FundExample")
        example.environment = ["FUND_PASSWORD": FundmailServer.password]
        let words = [server.url, FundmailServer.user, folder + "/app"]
        let first = try await example.run(words)
        #expect(first.isSuccess && first.output.contains("Fund1: 1 items\n"), "\(first)")
        let none = try await example.run(words + ["Fund2"])
        #expect(none.output.contains("there is no fund Fund2"), "\(none)")
        let loaded = try await example.run(words + ["Fund1"])
        #expect(loaded.isSuccess && loaded.output.contains(" to come\n"), "\(loaded)")

        try await server.kill()
        // No password is known any more, and none is needed.
        example.environment = ["FUND_PASSWORD": ""]
        let offline = try await example.run(words + ["Fund1"])
        #expect(offline.isSuccess && offline.output.contains("offline ("), "\(offline)")
        #expect(offline.output.contains("Fund1: 1 items\n"), "\(offline)")
        let line = try #require(offline.output.split(separator: "\n").last { $0.hasPrefix("q3.pdf: ") })
        #expect(try TestFile.read(String(line.dropFirst("q3.pdf: ".count))) == bytes)
    }
}
