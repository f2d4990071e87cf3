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

    /// One of two copies is damaged.
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
    @Test(arguments: [(true, false), (true, true), (false, false)])
    func readsWhatStandsInSeveralPlaces(asStore: Bool, isLogALink: Bool) throws {
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
        if isLogALink {
            rename("\(store)/log", "\(store)/elsewhere")
            symlink("\(store)/elsewhere", "\(store)/log")
        }
        let places = asStore ? [store] : ["\(store)/log", lost, lost]
        let report = try Salvage.run(places, to: store + "/out")
        #expect(report == SalvageReport(messages: 1, files: 1))
        #expect(try contents(of: store + "/out/mail") == [message])
        // Without the attachment the message is not whole: it is named, and nothing of it is left.
        let alone = try Salvage.run(["\(store)/log"], to: store + "/alone")
        #expect(alone.messages == 0 && alone.damages.count == 1)
        #expect(try contents(of: store + "/alone/mail") == [])
    }

    /// A file that is no segment costs nothing but itself, and a pipe does not hold the salvage up.
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
        // A place with nothing in it is named beside others, and so is what never was a segment.
        let (none, note) = ("\(path)/none", "\(path)/readme")
        let others = try Salvage.run([path, note, none], to: path + "/out").damages
        #expect(others.contains("\(note): it does not begin as a segment of a log"), "\(others)")
        #expect(others.count == 5 && others.contains { $0.hasPrefix("\(none): ") }, "\(others)")
        // A store that reads them by number finds them missing or damaged, and is not held up either.
        for number: UInt32 in 8...10 {
            #expect(throws: LogDamage.self) { try SegmentFile.read(SegmentNumber(number), in: log.directory) }
        }
    }

    /// Each of two copies of a segment may say that a record was given up, be it that its state alone has changed: what
    /// the other has whole comes out, and how much that is is said.
    @Test(arguments: [true, false]) func whatOneCopyHasWholeComesOut(isPurged: Bool) throws {
        let log = try LogHarness()
        let writer = log.writer()
        let (removed, kept, late) = (Array("removed".utf8), Array("kept".utf8), Array("late".utf8))
        let location = try log.append(removed, to: writer)
        let stale = try log.append(kept, to: writer)
        try writer.sync()
        let path = log.directory.path(of: location.segment)
        try TestFile.write(try TestFile.read(path), to: "\(path).old")
        _ = try log.append(late, to: writer)
        // It was written anew since: no other copy is needed for it.
        _ = try log.append(kept, to: writer)
        try writer.sync()
        if isPurged {
            _ = try SegmentFile.write(location.segment, in: log.directory)
                .giveUp([(location, .of(removed)), (stale, .of(kept))])
        } else {
            for place in [location, stale] {
                try log.overwrite(
                    RecordHeader.State.dead.bytes, at: place.offset + Int64(LogFormat.stateOffset), of: place.segment)
            }
        }
        let out = log.directory.path + "/out"
        let report = try Salvage.run([log.directory.path], to: out)
        #expect(report == SalvageReport(files: 3, dead: 2, removedElsewhere: 1))
        #expect(try contents(of: out + "/files") == [removed, kept, late])
        // Where the older copy has it no longer whole, nothing of it is said to be damaged.
        var old = try TestFile.read("\(path).old")
        old[Int(location.end) - 9] ^= 1
        try TestFile.write(old, to: "\(path).old")
        #expect(try Salvage.run([log.directory.path], to: out + "2") == SalvageReport(files: 2, dead: 2))
    }

    /// A segment that has lost its beginning and is torn where a record ends that came by mail: what looks like mail in
    /// it is not put among the mail.
    @Test func recordsThatCameByMailAreNoMail() throws {
        let log = try LogHarness()
        let forged = ForgedRecords(.message, count: 1_300_000)
        let mail = try log.append(forged.bytes, origin: ForgedRecords.origin, to: log.writer())
        let path = log.directory.path(of: mail.segment)
        try log.overwrite([UInt8](repeating: 0, count: 4096), at: 0, of: mail.segment)
        for (number, end) in forged.ends.suffix(2).reversed().enumerated() {
            truncate(path, Int(end))
            let out = "\(log.directory.path)/out\(number)"
            let report = try Salvage.run([log.directory.path], to: out)
            #expect(report.messages == 1 && report.unproven == 1 && report.damages.count == 2, "\(report)")
            #expect(try contents(of: out + "/mail") == [])
            #expect(try contents(of: out + "/unproven") == [Array("forged by mail!!".utf8)])
        }
        #expect(try !SegmentFile.renewOpening(of: mail.segment, in: log.directory))
    }

    /// Other segments prove the salt of one that has lost its beginning, wherever it is torn: the marks of
    /// their store, or another copy.
    @Test(arguments: [true, false]) func otherSegmentsTellWhatIsCertain(byMark: Bool) throws {
        let log = try LogHarness()
        let writer = log.writer(segmentBytes: 4000, store: .of([1]))
        var random = SeededGenerator(seed: 1)
        let content = randomBytes(3000, using: &random)
        let message = mail(with: [content], .init(length: 76, end: .crlf))
        let first = try log.append(randomBytes(3000, using: &random), to: writer)
        let blob = try log.append(content, to: writer)
        let second = try log.append([1, 2, 3], to: writer)
        let text = try #require(try log.append(message: message, repeating: [content], to: writer))
        try #require(first.segment == blob.segment && second.segment == text.segment && blob.segment != text.segment)
        // The other copy has not what is looked for.
        var copy = try TestFile.read(log.directory.path(of: text.segment))
        copy.replaceSubrange(Int(text.offset)..<Int(text.end), with: [UInt8](repeating: 0, count: Int(text.count)))
        if byMark { try log.mark([blob, text], at: 1, by: writer) }
        let path = log.directory.path(of: text.segment)
        try log.overwrite([UInt8](repeating: 0, count: Int(second.end)), at: 0, of: text.segment)
        try TestFile.write(Array("torn".utf8), to: path, appending: true)
        if !byMark { try TestFile.write(copy, to: "\(log.directory.path)/copy.seg") }
        let out = log.directory.path + "/out"
        let report = try Salvage.run([path, log.directory.path], to: out)
        #expect(report.messages == 1 && report.unproven == 0, "\(report)")
        #expect(try contents(of: out + "/mail") == [message])
    }

    /// A database beside the log knows the salt of a segment that has lost its beginning.
    @Test(arguments: [true, false]) func theDatabaseTellsWhatIsCertain(hasDatabase: Bool) async throws {
        let torn = try await TornLog()
        let location = torn.location
        if !hasDatabase { StoreLocation.removeDatabase(location.database) }
        let report = try Salvage.run([location.root], to: location.root + "-out")
        defer { try? FileManager.default.removeItem(atPath: location.root + "-out") }
        #expect(report.messages == 2 && report.unproven == (hasDatabase ? 0 : 2), "\(report)")
    }

    /// A log that is not there, because its disk is not, is said not to be.
    @Test func aLinkThatLeadsNowhereIsNamed() throws {
        let log = try LogHarness()
        let writer = log.writer()
        let location = try log.append([1], to: writer)
        try writer.sync()
        let store = try TestFile.makeFolder("left")
        defer { try? FileManager.default.removeItem(atPath: store) }
        mkdir("\(store)/lost", 0o700)
        try TestFile.write(
            try TestFile.read(log.directory.path(of: location.segment)), to: "\(store)/lost/log-000001.seg")
        symlink("/nowhere/at all", "\(store)/log")
        let report = try Salvage.run([store], to: store + "/out")
        #expect(report.files == 1 && report.damages.count == 1, "\(report)")
        #expect(report.damages.first?.hasPrefix("\(store)/log: it is a symbolic link") == true)
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
