import Foundation
import FundCore
import FundPreview
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundmailCLI

/// The queue of previews over a real store, with a converter that does what a test wants.
@Suite struct PreviewWorkersTests {
    /// A store with files of these contents, and the work that makes their previews, while `body` runs.
    ///
    /// - Parameters:
    ///   - clock: of a server that is used from the beginning.
    ///   - presence: whether the contents are there; nil for always.
    private func working(
        _ contents: [String], maxJobs: Int = 1, clock: ManualClock? = nil, presence: Presence? = nil,
        _ converter: ScriptedConverter,
        _ body: (_ service: PreviewService, _ files: [PreviewedFile], _ workers: PreviewWorkers, PreviewedStore)
            async throws
            -> Void
    ) async throws {
        let store = try await PreviewedStore()
        var files: [PreviewedFile] = []
        for (index, content) in contents.enumerated() {
            let entry = try await store.put("file\(index)", Array(content.utf8))
            files.append(PreviewedFile(digest: entry.digest, size: entry.size))
        }
        var settings = PreviewSettings(maxJobs: maxJobs, minFreeBytes: 0)
        // Other tests keep the machine busy.
        settings.maxProcessorPressure = 100
        let workers = PreviewWorkers(
            register: store.store.previews, converter: converter, settings: settings, folder: store.folder,
            freeBytes: { .max }, now: { clock?.now ?? .now },
            contents: { [library = store.store.library] digest, size in
                guard presence?.isThere.withLock({ $0 }) ?? true else { return nil }
                return try library.content(of: digest, size: size)
            })
        let service = PreviewService(workers)
        if clock != nil { service.noteUse() }
        let upkeep = PreviewUpkeep(workers, settings: settings, commits: store.store.library.commits)
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await workers.run() }
                group.addTask { await upkeep.run() }
            }
        }
        do { try await body(service, files, workers, store) } catch {
            running.cancel()
            await running.value
            throw error
        }
        running.cancel()
        await running.value
        try store.store.close()
    }

    private func expectSoon(_ condition: () async throws -> Bool) async throws {
        #expect(try await becomesTrue(condition))
    }

    private static let pdf = "%PDF-1.4\n"
    private static let long = Duration.seconds(60)

    @Test func makesWhatIsAskedFor() async throws {
        let converter = ScriptedConverter { conversion, _ in ScriptedConverter.plain(conversion) }
        try await working([Self.pdf + "a"], converter) { service, files, workers, _ in
            guard
                case .ready(let page) = try await service.picture(
                    .page, page: 2, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("it was not made")
                return
            }
            #expect(page.bytes == Array("picture 1600 2".utf8) && page.rendition.width == 1600)
            guard
                case .failed(.unsupported) = try await service.picture(
                    .page, page: 4, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("there is no page 4")
                return
            }
            guard case .ready(let text) = try await service.text(page: 1, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("there is text")
                return
            }
            #expect(text.bytes == Array("words".utf8))
            // The next page is made before anybody asks.
            try await expectSoon { workers.statistics.outcomes[.init(kind: .page, failure: nil)] == 2 }
            guard case .ready = try await service.picture(.page, page: 3, of: files[0], waitingAtMost: .zero)
            else {
                Issue.record("it was not made ahead")
                return
            }
            #expect(converter.calls.count { $0.work == .picture(pixels: 1600, page: 3) } == 1)
        }
    }

    /// Says whether the contents are there.
    private final class Presence: Sendable {
        let isThere = Mutex(false)
    }

    /// A file of kept mail is in memory for a while: work that comes too late says nothing of a file that has its
    /// content later.
    @Test func notesNothingOfContentThatIsNotThere() async throws {
        let converter = ScriptedConverter { conversion, _ in ScriptedConverter.plain(conversion) }
        let presence = Presence()
        try await working([Self.pdf + "a"], presence: presence, converter) { service, files, _, store in
            _ = try await service.picture(.page, page: 1, of: files[0], waitingAtMost: .zero)
            try await expectSoon {
                try await store.store.previews.countWaiting(Set(PreviewOrder.Priority.allCases)) == 0
            }
            let key = RenditionKey(files[0].digest, .page)
            #expect(try await store.store.previews.state(of: key) == nil)
            presence.isThere.withLock { $0 = true }
            guard case .ready = try await service.picture(.page, page: 1, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("it was not made when it was there")
                return
            }
        }
    }

    @Test func listsFillByThemselves() async throws {
        let converter = ScriptedConverter { conversion, _ in ScriptedConverter.plain(conversion) }
        let contents = (0..<30).map { "\(Self.pdf)\($0)" } + [" no type \u{1}\u{2}"]
        try await working(contents, converter) { service, files, _, _ in
            let first = try await service.summaries(of: files)
            #expect(first.count == 31)
            try await expectSoon {
                let now = try await service.summaries(of: files)
                return !now.contains { $0.state == .making }
            }
            let last = try await service.summaries(of: files)
            #expect(last.count { $0.state == .ready } == 30)
            #expect(last[30].state == .failed(.unsupported))
            #expect(last[0].info?.pageCount == 3)
        }
    }

    /// The words of a file are found once they were read.
    @Test func wordsOfFilesAreFound() async throws {
        let converter = ScriptedConverter { conversion, _ in
            switch conversion.work {
            case .text: .text(Array("first page\u{C}\u{C}third page Kapitalabruf\u{C}".utf8))
            case .recognition(let page, _): .text(Array("a scanned resolution, page \(page)".utf8))
            default: ScriptedConverter.plain(conversion)
            }
        }
        try await working([Self.pdf + "a"], converter) { _, _, workers, held in
            let store = held.store
            try await expectSoon { workers.statistics.outcomes[.init(kind: .recognised, failure: nil)] == 1 }
            #expect(converter.calls.last?.work == .recognition(page: 2))
            while try await store.maintenance.index.indexPending() > 0 {}
            while try await store.maintenance.index.indexTexts() > 0 {}
            let ann = try await store.administration.user("ann@example.com").user.id
            for (word, page) in [("kapitalabruf", 3), ("resolution", 2), ("first", 1)] {
                let hits = try await store.library.search(SearchQuery(text: word), of: ann).items
                #expect(hits.map(\.title) == ["file0"], "\(word)")
                #expect(hits.first?.page == page)
                #expect(hits.first?.excerpt.contains { $0.isMatch } ?? false)
            }
            // A new name takes nothing away.
            let file = try #require(try await store.library.search(SearchQuery(text: "first"), of: ann).items.first)
            _ = try await store.library.move(
                file.item, to: ItemTarget(.unchanged, name: "renamed"), if: nil, of: ann)
            while try await store.maintenance.index.indexPending() > 0 {}
            #expect(try await store.library.search(SearchQuery(text: "renamed kapitalabruf"), of: ann).items.count == 1)
        }
    }

    @Test func aCrashIsTriedAgainOnceAndAlone() async throws {
        let converter = ScriptedConverter { conversion, _ in
            if case .picture = conversion.work {
                throw conversion.attempt == 1 ? RenditionFailure.crashed : .timedOut
            }
            return ScriptedConverter.plain(conversion)
        }
        try await working([Self.pdf + "a"], converter) { service, files, workers, _ in
            guard
                case .failed(.timedOut) = try await service.picture(
                    .thumbnail, page: 1, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("it failed twice")
                return
            }
            let pictures = converter.calls.filter { if case .picture = $0.work { true } else { false } }
            #expect(pictures.map(\.attempt) == [1, 2])
            // Remembered: nothing is tried again.
            guard
                case .failed(.timedOut) = try await service.picture(
                    .thumbnail, page: 1, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("it was forgotten")
                return
            }
            #expect(converter.calls.count { if case .picture = $0.work { true } else { false } } == 2)
        }
    }

    /// The thumbnail of a sound is a drawing of its waveform, which is kept for the page of the file.
    @Test func soundsAreDrawn() async throws {
        let converter = ScriptedConverter { conversion, _ in
            guard conversion.work == .info else { return ScriptedConverter.plain(conversion) }
            var info = FileInfo(conversion.type)
            info.milliseconds = 2000
            return .info(info)
        }
        try await working(["ID3\u{4}\0\0\0\0\0\0 of an MP3"], converter) { service, files, _, _ in
            guard
                case .ready(let picture) = try await service.picture(
                    .thumbnail, page: 1, of: files[0], waitingAtMost: Self.long),
                case .ready(let peaks) = try await service.waveform(of: files[0], waitingAtMost: .zero)
            else {
                Issue.record("it was not drawn")
                return
            }
            #expect(picture.rendition.width == 480 && peaks.bytes == [0, 127, 3])
            #expect(converter.calls.map(\.work) == [.info, .waveform, .picture(pixels: 480, page: 1)])
            #expect(converter.calls.map(\.type) == [.mp3, .mp3, .svg])
            guard
                case .failed(.unsupported) = try await service.picture(
                    .page, page: 1, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("a sound has no pages")
                return
            }
        }
    }

    /// Work that a request waits for begins at once all the same.
    @Test func workBeginsLessOftenWhileTheServerIsUsed() async throws {
        let converter = ScriptedConverter { conversion, _ in ScriptedConverter.plain(conversion) }
        let clock = ManualClock()
        let contents = (0..<200).map { "\(Self.pdf)\($0)" }
        try await working(contents, clock: clock, converter) { service, files, workers, _ in
            func pages() -> Int { workers.statistics.outcomes[.init(kind: .page, failure: nil)] ?? 0 }
            /// Pieces of work for which no reader waits.
            func background() -> Int { workers.statistics.outcomes.values.reduce(0, +) - pages() }
            /// Asks for a page, for which the next one is made, too: meanwhile the queue looks for what may begin.
            func askForPage(of file: PreviewedFile) async throws {
                let before = pages()
                guard case .ready = try await service.picture(.page, page: 1, of: file, waitingAtMost: Self.long) else {
                    Issue.record("it was not made")
                    return
                }
                try await expectSoon { pages() == before + 2 }
            }
            try await expectSoon { background() == 1 }
            for round in 1...3 {
                try await askForPage(of: files[200 - 2 * round])
                #expect(background() == round, "no time has passed")
                clock.advance(by: .seconds(1))
                service.noteUse()
                try await askForPage(of: files[199 - 2 * round])
                try await expectSoon { background() == round + 1 }
            }
            try await askForPage(of: files[199])
            #expect(background() == 4)
        }
    }

    /// `fundmail preview retry` does this beside a server.
    @Test func listsSeeWhatAnotherProcessTakesBack() async throws {
        let isMended = Mutex(false)
        let converter = ScriptedConverter { conversion, _ in
            if case .picture = conversion.work, !isMended.withLock({ $0 }) { throw RenditionFailure.damaged }
            return ScriptedConverter.plain(conversion)
        }
        try await working([Self.pdf + "a"], converter) { service, files, _, held in
            let store = held.store
            try await expectSoon { try await service.summaries(of: files).first?.state == .failed(.damaged) }
            isMended.withLock { $0 = true }
            let other = try FundStore.open(at: store.path, mode: .existing)
            #expect(try await other.previews.forgetFailures([.damaged]) == 1)
            try await expectSoon { try await service.summaries(of: files).first?.state == .ready }
            try other.close()
        }
    }

    /// A scan that comes in while old files are made ready is looked for first.
    @Test func freshScansAreRecognisedBeforeOldFilesAreThrough() async throws {
        let isScanThere = Flag()
        let converter = ScriptedConverter { conversion, _ in
            try await eventually { isScanThere.isRaised }
            if case .text = conversion.work { return .text(Array("\u{C}\u{C}\u{C}".utf8)) }
            return ScriptedConverter.plain(conversion)
        }
        try await working((0..<30).map { "GIF89a\($0)" }, converter) { _, _, workers, held in
            try await expectSoon { try await held.store.previews.status().waiting[.backfill] == 30 }
            try await held.put("scan.pdf", Array(Self.pdf.utf8))
            try await expectSoon { try await held.store.previews.status().waiting[.fresh] == 1 }
            isScanThere.raise()
            try await expectSoon { workers.statistics.outcomes[.init(kind: .recognised, failure: nil)] == 3 }
            // The one that was under way, and those for which there was time between two pages.
            let calls = converter.calls
            let last = try #require(calls.lastIndex { $0.work == .recognition(page: 3) })
            #expect(calls[..<last].count { $0.type == .gif } < 20)
            let pages = calls.filter { $0.type == .pdf }.suffix(3).map(\.work)
            #expect(pages == [1, 2, 3].map { .recognition(page: $0) })
        }
    }

    @Test func oneOfficeDocumentAtATime() async throws {
        let running = Mutex((now: 0, most: 0))
        let othersAreMade = Flag()
        let converter = ScriptedConverter { conversion, _ in
            if conversion.work == .document {
                running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                try await eventually { othersAreMade.isRaised }
                running.withLock { $0.now -= 1 }
            }
            return ScriptedConverter.plain(conversion)
        }
        // RTF is an office document.
        let documents = (0..<6).map { "{\\rtf1\\ansi \($0)}" }
        let others = ["a", "b"].map { Self.pdf + $0 }
        try await working(documents + others, maxJobs: 4, converter) { service, files, _, _ in
            _ = try await service.summaries(of: files)
            try await expectSoon { running.withLock { $0.now } == 1 }
            // The other files begin meanwhile, each after a look at what may begin.
            for file in files.suffix(others.count) {
                guard case .ready = try await service.picture(.page, page: 1, of: file, waitingAtMost: Self.long) else {
                    Issue.record("it waits for a document")
                    return
                }
            }
            othersAreMade.raise()
            try await expectSoon {
                try await service.summaries(of: files).allSatisfy { $0.state == .ready }
            }
            #expect(running.withLock { $0.most } == 1)
            #expect(try await service.summaries(of: files).prefix(6).allSatisfy { $0.info?.type == .rtf })
        }
    }

    /// A failure of the system is no fault of the file, unless it comes again and again.
    @Test func aBrokenSystemIsNotTheFilesFault() async throws {
        let converter = ScriptedConverter { conversion, number in
            if number == 1 { throw DiskError("start", "a converter", code: 11) }
            return ScriptedConverter.plain(conversion)
        }
        try await working([Self.pdf + "a"], converter) { service, files, _, _ in
            guard case .ready = try await service.picture(.thumbnail, page: 1, of: files[0], waitingAtMost: Self.long)
            else {
                Issue.record("it was given up")
                return
            }
        }
    }

    @Test func whoWaitsIsServedWhileOthersAreMade() async throws {
        let isAsked = Flag()
        let converter = ScriptedConverter { conversion, _ in
            try await eventually { isAsked.isRaised }
            return ScriptedConverter.plain(conversion)
        }
        try await working((0..<40).map { "\(Self.pdf)\($0)" }, converter) { service, files, _, held in
            _ = try await service.summaries(of: files)
            async let picture = service.picture(.page, page: 1, of: files[39], waitingAtMost: Self.long)
            try await expectSoon { try await held.store.previews.status().waiting[.asked] == 1 }
            isAsked.raise()
            guard case .ready = try await picture else {
                Issue.record("it was not made")
                return
            }
            #expect(converter.calls.count < 40)
            #expect(converter.most <= 2)
        }
    }

    @Test func noTimeNoPicture() async throws {
        let converter = ScriptedConverter { conversion, _ in
            await untilCancelled()
            return ScriptedConverter.plain(conversion)
        }
        try await working([Self.pdf + "a"], converter) { service, files, _, _ in
            guard
                case .making = try await service.picture(
                    .page, page: 1, of: files[0], waitingAtMost: .milliseconds(50))
            else {
                Issue.record("it cannot be there")
                return
            }
        }
    }
}
