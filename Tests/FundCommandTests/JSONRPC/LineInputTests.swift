import Foundation
import TestSupport
import Testing

@testable import FundCommand

@Suite(.timeLimit(.minutes(1))) struct LineInputTests {
    private func lines(_ text: String, maxBytes: Int) async throws -> [LineInput.Line] {
        let path = try TestFile.makeFolder("lines") + "/input"
        try TestFile.write(text, to: path)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let input = LineInput(file.fileDescriptor, maxBytes: maxBytes)
        var lines: [LineInput.Line] = []
        while let line = try await input.next() { lines.append(line) }
        #expect(try await input.next() == nil)
        return lines
    }

    @Test(arguments: [
        ("", []), ("\n", [""]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\na", ["", "", "a"]), ("a\r\n", ["a\r"]),
        ("12345\n1234567\n12345", ["12345", nil, "12345"]), ("1234567", [nil]), ("1234567\n", [nil]),
    ])
    func cutsAtLineEnds(text: String, expected: [String?]) async throws {
        let lines = try await lines(text, maxBytes: 5)
        #expect(lines == expected.map { $0.map { .bytes(Array($0.utf8)) } ?? .tooLong }, "\(text)")
    }

    /// Lines of several pieces, and a long one that memory does not have to hold.
    @Test func readsLongLines() async throws {
        let long = String(repeating: "x", count: 200_000)
        let lines = try await lines("\(long)\n\(String(repeating: "y", count: 900_000))\nend\n", maxBytes: 200_000)
        #expect(lines == [.bytes(Array(long.utf8)), .tooLong, .bytes(Array("end".utf8))])
    }

    @Test func saysThatTheInputCannotBeRead() async throws {
        await #expect(throws: LineInput.Failure.self) { try await LineInput(-1, maxBytes: 5).next() }
    }
}
