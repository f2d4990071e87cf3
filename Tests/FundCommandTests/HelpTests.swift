import ArgumentParser
import Testing

@testable import FundCommand

@Suite struct HelpTests {
    @Test func itIsCalledFund() { #expect(FundCommand.configuration.commandName == "fund") }
}
