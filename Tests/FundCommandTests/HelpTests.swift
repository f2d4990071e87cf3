import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import FundCommand

/// The help of `fund` and of all its commands, as Fixtures/help/fund.txt has it.
@Suite struct HelpTests {
    private static let columns = 80
    private static let actual = "/tmp/fundmail-actual-help-fund.txt"

    /// Help of a command, and of all commands below it.
    private static func help(_ command: any ParsableCommand.Type, _ words: [String]) -> String {
        let head = "$ \((words + ["--help"]).joined(separator: " "))\n"
        let text = FundCommand.helpMessage(for: command, columns: columns)
        let below = command.configuration.subcommands.map { help($0, words + [$0._commandName]) }
        return ([head + text + "\n\n"] + below).joined()
    }

    @Test func helpIsAsItWas() throws {
        let help = Self.help(FundCommand.self, ["fund"])
        let path = "\(PackageRoot.path)/Fixtures/help/fund.txt"
        let expected = try? String(contentsOfFile: path, encoding: .utf8)
        guard help != expected else { return }
        try Data(help.utf8).write(to: URL(fileURLWithPath: Self.actual))
        Issue.record("the help differs from \(path); it is kept in \(Self.actual)")
    }

    /// Every command says what it is about, and so do its options.
    @Test func everythingIsDescribed() {
        let help = Self.help(FundCommand.self, ["fund"])
        for part in help.components(separatedBy: "$ ").dropFirst() {
            #expect(part.contains("OVERVIEW: ") && part.contains("USAGE: fund"), "\(part.prefix(60))")
        }
    }
}
