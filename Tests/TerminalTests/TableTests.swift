import Testing

@testable import Terminal

@Suite struct TableTests {
    @Test func tableLinesUp() {
        var table = Table([.shrinking("A"), .number("N")])
        table.add(["基金一季度报告以及更多的文字说明", "7"])
        table.add(["x", "1234"])
        let lines = table.rendered(width: 24).split(separator: "\n").map(String.init)
        #expect(lines.allSatisfy { TerminalText.width($0) == 24 }, "\(lines)")
        #expect(lines[1].contains("…"))
    }

    @Test func nothingIsCutOffWithoutATerminalBelowTheLimit() {
        let name = String(repeating: "n", count: Table.widest + 1)
        let table = Table([.shrinking("NAME")], [[name]])
        #expect(table.rendered(width: nil).contains("…"))
        #expect(!table.rendered(width: nil, widest: .max).contains("…"))
    }
}
