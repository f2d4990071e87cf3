import ArgumentParser
import Foundation
import Testing

@testable import FundClient
@testable import FundCommand
@testable import Terminal

/// Paths on a server, as people write them.
@Suite struct RemotePathTests {
    @Test(arguments: [
        ("Fund1", ["Fund1"]), ("Fund1/a.pdf", ["Fund1", "a.pdf"]), ("Fund1//a.pdf", ["Fund1", "a.pdf"]),
        ("/Fund1", ["Fund1"]), ("//Fund1///sub//", ["Fund1", "sub"]), ("./Fund1/./a", ["Fund1", "a"]),
        ("Fund1/..a/...", ["Fund1", "..a", "..."]), ("Fund 1/ /b ", ["Fund 1", " ", "b "]),
        ("/", []), ("//", []), (".", []), ("./", []), ("", []),
    ])
    func slashesAndDotsMakeNoDifference(text: String, names: [String]) throws {
        let path = try RemotePath.orTop(text)
        #expect(path.map { [$0.fund] + $0.names } ?? [] == names)
        if let path { #expect(path.isOfFolder == text.hasSuffix("/")) }
        if names.isEmpty { #expect(throws: ValidationError.self) { try RemotePath(text) } }
    }

    /// Every command reads paths alike, and says what is wrong.
    @Test(arguments: [["ls"], ["get"], ["put", "x"], ["mkdir"], ["mv", "Fund1/a"], ["rm"]])
    func eachCommandReadsThemAlike(_ words: [String]) throws {
        for path in ["Fund1//a//", "/Fund1/a", "./Fund1/./a"] { _ = try FundCommand.parseAsRoot(words + [path]) }
        for (path, said) in [("../x", "“..” cannot stand in a path"), ("Fund1/../Fund2", "“..”"), ("//", "no fund")] {
            if words == ["ls"], path == "//" { continue }
            let failure = try #require(throws: (any Error).self) { try FundCommand.parseAsRoot(words + [path]) }
            #expect(FundCommand.exitCode(for: failure).rawValue == ExitStatus.usage.rawValue)
            #expect(FundCommand.message(for: failure).contains(said), "\(FundCommand.message(for: failure))")
        }
    }

    /// The name of a fund may hold slashes.
    @Test func canBeReadInSeveralWays() throws {
        let path = try RemotePath("Q1//Q2/report.pdf")
        #expect(path.readings.map(\.fund) == ["Q1", "Q1/Q2", "Q1/Q2/report.pdf"])
        #expect(path.readings.map(\.names) == [["Q2", "report.pdf"], ["report.pdf"], []])
    }

    /// A name finds the fund that has it now before one that had it, or has it as well.
    @Test(
        arguments: [
            ("Fund1", 2), ("fund1", 2), ("Alpha", 1), ("F1", 1), ("f1", 1), ("Q1/Q2", 3), ("Other", nil),
        ] as [(String, Int64?)])
    func namesFindFunds(_ name: String, _ id: Int64?) throws {
        func fund(_ id: Int64, _ name: String, _ aliases: [String] = []) -> Fund {
            Fund(
                id: FundID(id), name: name, aliases: aliases, createdAt: .now, modifiedAt: .now, isFavourite: false,
                isArchived: false)
        }
        let funds = [fund(1, "Alpha", ["F1", "Fund1"]), fund(2, "Fund1"), fund(3, "/Q1//Q2")]
        #expect(funds.found(by: RemotePath.plain(name))?.id == id.map { FundID($0) })
    }
}
