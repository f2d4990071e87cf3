import Testing

@testable import FundClient

@Suite struct EventLinesTests {
    private static let text = """
        retry: 3000

        :

        id: 7
        event: change
        data: {"a":
        data: "ü"}

        event: empty

        data:x
        data

        """ + "\n"
    private static let events = [
        ServerEvent(name: "change", data: "{\"a\":\n\"ü\"}", id: "7"), ServerEvent(name: "message", data: "x\n"),
    ]

    /// Whichever way the bytes are cut, and with either end of a line.
    @Test(arguments: ["\n", "\r\n"], 1...20) func takesEventsApart(_ end: String, _ size: Int) {
        let bytes = Array(
            Self.text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: end).utf8)
        var lines = EventLines()
        var events: [ServerEvent] = []
        for begin in stride(from: 0, to: bytes.count, by: size) {
            lines.append(Array(bytes[begin..<min(begin + size, bytes.count)]))
            while let event = lines.next() { events.append(event) }
        }
        #expect(events == Self.events)
    }
}
