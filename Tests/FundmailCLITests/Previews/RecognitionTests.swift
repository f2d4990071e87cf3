import FundCore
import FundPreview
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundmailCLI

/// Words in pictures, in the languages and on the pages that the configuration names.
@Suite struct RecognitionTests {
    /// Every file has three pages, of which the first one alone has text.
    private final class PageConverter: Converter {
        private struct State {
            var recognised: [Conversion.Work] = []
            var lacksTool = false
        }

        private let state = Mutex(State())

        /// Work that was recognised since the last call, in the order of pages.
        func takeRecognised() -> [Conversion.Work] {
            state.withLock { state in
                defer { state.recognised = [] }
                return state.recognised.sorted { "\($0)" < "\($1)" }
            }
        }

        var recognisedCount: Int { state.withLock { $0.recognised.count } }

        func setLacksTool(_ lacks: Bool) { state.withLock { $0.lacksTool = lacks } }

        func convert(_ conversion: Conversion, of input: Int32) async throws -> Converted {
            switch conversion.work {
            case .info:
                var info = FileInfo(conversion.type)
                info.pageCount = 3
                return .info(info)
            case .text: return .text(Array("first\u{C}\u{C}\u{C}".utf8))
            case .recognition(let page, let languages):
                try state.withLock { state in
                    state.recognised.append(conversion.work)
                    if state.lacksTool { throw RenditionFailure.noTool }
                }
                return .text(Array("page \(page) \(languages?.map(\.name) ?? [])".utf8))
            default: return .picture(Array("picture".utf8), width: 480, height: 480)
            }
        }

        func abilities() async throws -> ConverterAbilities { ConverterAbilities(sandbox: .namespaces, tools: []) }
    }

    private static let german = RecognitionLanguage("deu")

    private static func settings(_ languages: [RecognitionLanguage?] = [], pages: Int = 50) -> RecognitionSettings {
        var settings = RecognitionSettings()
        if !languages.isEmpty { settings.languages = languages.compactMap(\.self) }
        settings.maxPages = pages
        return settings
    }

    /// Runs the work of a server with these settings while `body` runs.
    private func serving(
        _ held: PreviewedStore, _ converter: PageConverter, _ recognition: RecognitionSettings?,
        _ body: (_ becomesIdle: () async throws -> Void) async throws -> Void
    ) async throws {
        var settings = PreviewSettings(maxJobs: 1, minFreeBytes: 0)
        settings.maxProcessorPressure = 100
        settings.recognition = recognition
        let workers = PreviewWorkers(
            register: held.store.previews, converter: converter, settings: settings, folder: held.folder,
            freeBytes: { .max }, contents: { [library = held.store.library] in try library.content(of: $0, size: $1) })
        let upkeep = PreviewUpkeep(workers, settings: settings, commits: held.store.library.commits)
        let running = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await workers.run() }
                group.addTask { await upkeep.run() }
            }
        }
        let result: Result<Void, any Error>
        func becomesIdle() async throws {
            #expect(
                try await becomesTrue {
                    guard upkeep.looked.count > 0 else { return false }
                    let status = try await held.store.previews.status()
                    return status.ready[.text] != nil && status.waiting.isEmpty
                })
        }
        do { result = .success(try await body(becomesIdle)) } catch { result = .failure(error) }
        running.cancel()
        await running.value
        try result.get()
    }

    private func words(of held: PreviewedStore, _ file: FileEntry, page: Int) async throws -> String? {
        let key = RenditionKey(file.digest, .recognised, page: page)
        guard case .ready(let rendition)? = try await held.store.previews.state(of: key) else { return nil }
        return try await held.store.previews.bytes(of: rendition).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func anotherChoiceOfLanguagesMakesWordsAnew() async throws {
        let (held, converter) = (try await PreviewedStore(), PageConverter())
        let file = try await held.put("a.pdf", Array("%PDF-1.4\n".utf8))
        let usual: [Conversion.Work] = [.recognition(page: 2), .recognition(page: 3)]
        try await serving(held, converter, Self.settings()) { try await $0() }
        #expect(converter.takeRecognised() == usual)
        // These are the usual ones.
        let named = Self.settings([RecognitionLanguage("chi_sim"), RecognitionLanguage("eng")])
        try await serving(held, converter, named) { try await $0() }
        #expect(converter.takeRecognised().isEmpty)
        let german = Self.settings([Self.german])
        try await serving(held, converter, german) { becomesIdle in
            #expect(try await becomesTrue { converter.recognisedCount == 2 })
            try await becomesIdle()
        }
        #expect(
            converter.takeRecognised()
                == [2, 3].map { .recognition(page: $0, languages: [Self.german].compactMap(\.self)) })
        #expect(try await words(of: held, file, page: 2) == #"page 2 ["deu"]"#)
        try await serving(held, converter, german) { try await $0() }
        #expect(converter.takeRecognised().isEmpty)
    }

    @Test func anotherNumberOfPagesAddsThem() async throws {
        let (held, converter) = (try await PreviewedStore(), PageConverter())
        let file = try await held.put("a.pdf", Array("%PDF-1.4\n".utf8))
        try await serving(held, converter, Self.settings(pages: 2)) { try await $0() }
        #expect(converter.takeRecognised() == [.recognition(page: 2)])
        try await serving(held, converter, Self.settings(pages: 3)) { becomesIdle in
            #expect(try await becomesTrue { converter.recognisedCount == 1 })
            try await becomesIdle()
        }
        #expect(converter.takeRecognised() == [.recognition(page: 3)])
        try await serving(held, converter, Self.settings(pages: 1)) { try await $0() }
        #expect(converter.takeRecognised().isEmpty)
        #expect(try await words(of: held, file, page: 3) == "page 3 []")
    }

    @Test func offRecognisesNothing() async throws {
        let (held, converter) = (try await PreviewedStore(), PageConverter())
        let file = try await held.put("a.pdf", Array("%PDF-1.4\n".utf8))
        // Left by a server that had it on.
        let order = PreviewOrder(RenditionKey(file.digest, .recognised, page: 2), size: file.size, .recognition)
        #expect(try await held.store.previews.enqueue([order], at: .now) == 1)
        try await serving(held, converter, nil) { try await $0() }
        #expect(converter.takeRecognised().isEmpty)
        // And when it is turned on, what is there is found.
        try await serving(held, converter, Self.settings()) { becomesIdle in
            #expect(try await becomesTrue { converter.recognisedCount == 2 })
            try await becomesIdle()
        }
    }

    /// This is the way after a model was installed: `fundmail preview retry`.
    @Test func whatFailedIsRecognisedAfterARetry() async throws {
        let (held, converter) = (try await PreviewedStore(), PageConverter())
        let file = try await held.put("a.pdf", Array("%PDF-1.4\n".utf8))
        converter.setLacksTool(true)
        try await serving(held, converter, Self.settings([Self.german])) { becomesIdle in
            try await becomesIdle()
            #expect(converter.takeRecognised().count == 2)
            #expect(try await held.store.previews.status().failures == [.noTool: 2])
            converter.setLacksTool(false)
            #expect(try await held.store.previews.forgetFailures([.noTool]) == 2)
            // A commit, after which the files are looked at.
            try await held.put("b.txt", Array("text".utf8))
            #expect(try await becomesTrue { converter.recognisedCount == 2 })
            try await becomesIdle()
        }
        #expect(try await words(of: held, file, page: 3) == #"page 3 ["deu"]"#)
    }
}
