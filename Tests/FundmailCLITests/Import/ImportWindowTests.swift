import FundCore
import Synchronization
import Testing

@testable import FundmailCLI

struct ImportWindowTests {
    private final class Lines: Sendable {
        let paths = Mutex<[String]>([])
        let running = Mutex<(now: Int, most: Int)>((0, 0))
    }

    private struct Failure: Error {}

    private static func line(_ path: String) -> ImportOutput.Line { .init(path: path, fund: nil, outcome: .imported) }

    private static func key(_ name: String) -> ImportWindow.Key { .init(place: nil, name: name) }

    @Test func reportsInOrderAndRunsFourAtATime() async throws {
        let lines = Lines()
        let window = ImportWindow { line in lines.paths.withLock { $0.append(line.path) } }
        // The first of each four waits until the last of them has begun.
        let begun = (0..<8).map { _ in AsyncStream.makeStream(of: Void.self) }
        try await window.run {
            for number in 0..<8 {
                try await window.add(Self.key("\(number)")) {
                    lines.running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                    begun[number].continuation.finish()
                    if number % 4 == 0 { for await _ in begun[number + 3].stream {} }
                    lines.running.withLock { $0.now -= 1 }
                    return Self.line("\(number)")
                }
                if number == 3 { try await window.add(Self.line("known")) }
            }
        }
        #expect(lines.paths.withLock { $0 } == ["0", "1", "2", "3", "known", "4", "5", "6", "7"])
        #expect((2...4).contains(lines.running.withLock { $0.most }))
    }

    /// The first of two files that the store would call the same gets the name.
    @Test func namesThatAreTheSameGoOneAfterTheOther() async throws {
        let lines = Lines()
        let window = ImportWindow { _ in }
        var told = 0
        try await window.run {
            for number in 0..<3 {
                try await window.add(Self.key("same")) {
                    lines.paths.withLock { $0.append("begin \(number)") }
                    await Task.yield()
                    lines.paths.withLock { $0.append("end \(number)") }
                    return Self.line("\(number)")
                } then: { line in
                    #expect(line.path == "\(number)")
                    told += 1
                }
            }
        }
        #expect(told == 3)
        #expect(lines.paths.withLock { $0 } == (0..<3).flatMap { ["begin \($0)", "end \($0)"] })
    }

    /// The files beside one that ends the import are filed, and told.
    @Test func waitsForTheRestAfterAFailure() async throws {
        let lines = Lines()
        let window = ImportWindow { line in lines.paths.withLock { $0.append(line.path) } }
        await #expect(throws: Failure.self) {
            try await window.run {
                for number in 0..<4 {
                    try await window.add(Self.key("\(number)")) {
                        if number == 1 { throw Failure() }
                        return Self.line("\(number)")
                    }
                }
            }
        }
        #expect(lines.paths.withLock { $0 } == ["0", "2", "3"])
    }
}
