import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct LogSalvageTests {
    @Test
    func writesAllWithoutADatabase() throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 20_000)
        var random = SeededGenerator(seed: 1)
        var messages: Set<[UInt8]> = []
        var files: Set<[UInt8]> = []
        for number in 0..<20 {
            let content = randomBytes(3000 + number, using: &random)
            let message = mail(with: [content], .init(length: 76, end: .crlf))
            _ = try log.append(content, origin: "../../etc/Q3 报告 \(number).pdf", to: writer)
            _ = try #require(try log.append(message: message, repeating: [content], to: writer))
            messages.insert(message)
            files.insert(content)
        }
        try writer.sync()
        let target = log.directory.path + "/out"
        var salvage = LogSalvage(log.directory, to: target)
        try salvage.run()
        #expect(salvage.report == LogSalvage.Report(messages: 20, files: 20))
        // Once more into the same directory: what is there stays.
        var again = LogSalvage(log.directory, to: target)
        try again.run()
        #expect(again.report == salvage.report)
        #expect(try contents(of: target + "/mail") == messages)
        #expect(try contents(of: target + "/files") == files)
        let names = try DiskDirectory.names(in: target + "/files")
        #expect(names.allSatisfy { $0.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == .dot || $0 == .hyphen } })
        #expect(names.contains { $0.hasSuffix("Q3--------19.pdf") })
    }

    @Test
    func leavesOutWhatIsDamaged() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let whole = Array("whole".utf8)
        let location = try log.append([UInt8](repeating: 1, count: 500), to: writer)
        _ = try log.append(whole, to: writer)
        try writer.sync()
        try log.flip(8, at: location.end - 100, of: location.segment)
        var salvage = LogSalvage(log.directory, to: log.directory.path + "/out")
        try salvage.run()
        #expect(salvage.report.files == 1)
        #expect(salvage.report.damages == [LogDamage(.block(0), location.segment, location.offset)])
        #expect(try contents(of: log.directory.path + "/out/files") == [whole])
    }

    /// Of two copies one is damaged.
    @Test
    func takesTheCopyThatIsWhole() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let content = (0..<3000).map { UInt8(truncatingIfNeeded: $0 * $0) }
        let message = mail(with: [content], .init(length: 76, end: .crlf))
        let damaged = try log.append(content, to: writer)
        _ = try log.append(content, to: writer)
        _ = try #require(try log.append(message: message, repeating: [content], to: writer))
        try log.flip(1, at: damaged.end - 100, of: damaged.segment)
        var salvage = LogSalvage(log.directory, to: log.directory.path + "/out")
        try salvage.run()
        #expect(try contents(of: log.directory.path + "/out/mail") == [message])
        #expect(try contents(of: log.directory.path + "/out/files") == [content])
    }

    private func contents(of directory: String) throws -> Set<[UInt8]> {
        Set(try DiskDirectory.names(in: directory).map { try TestFile.read("\(directory)/\($0)") })
    }
}
