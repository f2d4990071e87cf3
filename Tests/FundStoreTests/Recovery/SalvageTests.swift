import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct SalvageTests {
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
        let report = try Salvage.run([log.directory.path], to: target)
        #expect(report == SalvageReport(messages: 20, files: 20))
        // Once more into the same directory: what is there stays.
        #expect(try Salvage.run([log.directory.path], to: target) == report)
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
        let report = try Salvage.run([log.directory.path], to: log.directory.path + "/out")
        #expect(report.files == 1)
        let damage = LogDamage(.block(0), location.segment, location.offset)
        #expect(report.damages == ["\(log.directory.path(of: location.segment)): \(damage)"])
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
        _ = try Salvage.run([log.directory.path], to: log.directory.path + "/out")
        #expect(try contents(of: log.directory.path + "/out/mail") == [message])
        #expect(try contents(of: log.directory.path + "/out/files") == [content])
    }

    /// A message of one folder and its attachment of another, both under other names, come out whole together.
    @Test(arguments: [true, false]) func readsWhatStandsInSeveralPlaces(asStore: Bool) throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 1000)
        let content = [UInt8](repeating: 7, count: 3000)
        let message = mail(with: [content], .init(length: 76, end: .crlf))
        let blob = try log.append(content, to: writer)
        let text = try #require(try log.append(message: message, repeating: [content], to: writer))
        try #require(blob.segment != text.segment)
        try writer.sync()
        let store = try TestFile.makeFolder("left")
        defer { try? FileManager.default.removeItem(atPath: store) }
        for name in ["log", "lost"] { mkdir("\(store)/\(name)", 0o700) }
        let lost = "\(store)/lost/log-\(blob.segment.fileName)"
        #expect(rename(log.directory.path(of: blob.segment), lost) == 0)
        #expect(rename(log.directory.path(of: text.segment), "\(store)/log/\(text.segment.fileName).bak") == 0)
        let places = asStore ? [store] : ["\(store)/log", lost, lost]
        let report = try Salvage.run(places, to: store + "/out")
        #expect(report == SalvageReport(messages: 1, files: 1))
        #expect(try contents(of: store + "/out/mail") == [message])
        // Without the attachment the message is not whole: it is named, and nothing of it is left.
        let alone = try Salvage.run(["\(store)/log"], to: store + "/alone")
        #expect(alone.messages == 0 && alone.damages.count == 1)
        #expect(try contents(of: store + "/alone/mail") == [])
    }

    /// What is no segment costs nothing but itself, and a pipe does not hold it up.
    @Test func namesWhatIsNoSegment() throws {
        let log = try LogHarness()
        let writer = log.writer()
        _ = try log.append(Array("whole".utf8), to: writer)
        try writer.sync()
        let path = log.directory.path
        mkdir("\(path)/000008.seg", 0o700)
        mkfifo("\(path)/000009.seg", 0o600)
        try TestFile.write(Array("no segment".utf8), to: "\(path)/000010.seg")
        try TestFile.write(Array("a note".utf8), to: "\(path)/readme")
        let report = try Salvage.run([path], to: path + "/out")
        #expect(report.files == 1 && report.damages.count == 3, "\(report)")
        for (damage, name) in zip(report.damages.sorted(), ["000008.seg", "000009.seg", "000010.seg"]) {
            #expect(damage.hasPrefix("\(path)/\(name): "))
        }
        // As a part of a store that is read by number they are missing or damaged, and hold up nothing either.
        for number: UInt32 in 8...10 {
            #expect(throws: LogDamage.self) { try SegmentFile.read(SegmentNumber(number), in: log.directory) }
        }
    }

    /// Of two copies of a segment the newer one knows what was purged, and has what came since.
    @Test func takesTheNewerCopy() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let (purged, kept, late) = (Array("purged".utf8), Array("kept".utf8), Array("late".utf8))
        let location = try log.append(purged, to: writer)
        _ = try log.append(kept, to: writer)
        try writer.sync()
        let path = log.directory.path(of: location.segment)
        try TestFile.write(try TestFile.read(path), to: "\(path).old")
        _ = try log.append(late, to: writer)
        try writer.sync()
        _ = try SegmentFile.write(location.segment, in: log.directory).giveUp([(location, .of(purged))])
        let report = try Salvage.run([log.directory.path], to: log.directory.path + "/out")
        #expect(report == SalvageReport(files: 2, dead: 1))
        #expect(try contents(of: log.directory.path + "/out/files") == [kept, late])
    }

    /// A file of an earlier salvage that has other bytes of the same number is no file of the log.
    @Test(arguments: [true, false]) func wrongBytesAreNeitherLeftNorCounted(isDamaged: Bool) throws {
        let log = try LogHarness()
        let writer = log.writer()
        let location = try log.append([UInt8](repeating: 1, count: 500), to: writer)
        try writer.sync()
        let out = log.directory.path + "/out"
        #expect(try Salvage.run([log.directory.path], to: out).files == 1)
        let name = try #require(try DiskDirectory.names(in: out + "/files").first)
        try TestFile.write([UInt8](repeating: 2, count: 500), to: "\(out)/files/\(name)")
        if isDamaged { try log.flip(8, at: location.end - 100, of: location.segment) }
        let report = try Salvage.run([log.directory.path], to: out)
        #expect(report.files == (isDamaged ? 0 : 1) && report.damages.count == (isDamaged ? 1 : 0))
        #expect(try contents(of: out + "/files") == (isDamaged ? [] : [[UInt8](repeating: 1, count: 500)]))
    }

    @Test func saysWhereThereIsNothing() throws {
        let log = try LogHarness()
        for places in [[log.directory.path], ["/nowhere/at all"]] {
            #expect { try Salvage.run(places, to: log.directory.path + "/out") } throws: {
                ($0 as? StoreError)?.code == .notFound
            }
        }
    }

    private func contents(of directory: String) throws -> Set<[UInt8]> {
        Set(try DiskDirectory.names(in: directory).map { try TestFile.read("\(directory)/\($0)") })
    }
}
