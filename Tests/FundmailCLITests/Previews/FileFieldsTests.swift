import FundCore
import FundPreview
import FundStore
import MailParse
import TestSupport
import Testing

@testable import FundmailCLI

/// Tables, calendars and mails that are files, over a real store, by the processes that read them in `serve`.
@Suite(.startsPrograms) struct FileFieldsTests {
    private static let mail = """
        From: =?UTF-8?B?5byg5LiJ?= <zhang@example.com>
        To: Ann <ann@example.com>, bea@example.com
        Subject: =?UTF-8?Q?Kapitalabruf_f=C3=BCr_Fonds_IV?=
        Date: Wed, 25 Nov 2026 09:00:00 +0800
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary=b

        --b
        Content-Type: text/plain; charset=utf-8
        Content-Transfer-Encoding: base64

        UGxlYXNlIHBheSB0aGUgZHJhd2Rvd24gYnkgRnJpZGF5Lg==
        --b
        Content-Type: application/pdf; name="notice.pdf"
        Content-Disposition: attachment; filename="notice.pdf"
        Content-Transfer-Encoding: base64

        JVBERi0xLjQK
        --b--

        """

    /// While the previews of a store are made; `body` asks for the fields of what it stores.
    private func working(
        _ body: (
            _ put: (String, [UInt8]) async throws -> FileEntry, _ fields: (FileEntry) async throws -> PreviewAnswer,
            FundStore
        ) async throws -> Void
    ) async throws {
        let held = try await PreviewedStore()
        let program = BuiltProgram().path
        let converter = ConverterProcess(.child(executable: program, sandbox: .best), atMost: 2)
        let parser = ParserPool(executable: program, stagingDirectory: held.folder, concurrency: 1)
        var settings = PreviewSettings(maxJobs: 1, minFreeBytes: 0)
        settings.maxProcessorPressure = 100
        var limits = ParseLimits()
        limits.maxMessageBytes = 1_000_000
        let workers = PreviewWorkers(
            register: held.store.previews, converter: converter, settings: settings, folder: held.folder,
            mails: (parser, limits), freeBytes: { .max },
            contents: { [library = held.store.library] in try library.content(of: $0, size: $1) })
        let running = Task { await workers.run() }
        let service = PreviewService(workers)
        let result: Result<Void, any Error>
        do {
            try await body(
                { try await held.put($0, $1) },
                {
                    let file = PreviewedFile(digest: $0.digest, size: $0.size)
                    // So that the search has its words, too.
                    _ = try await service.text(page: 1, of: file, waitingAtMost: .seconds(60))
                    return try await service.fields(of: file, waitingAtMost: .seconds(60))
                }, held.store)
            result = .success(())
        } catch { result = .failure(error) }
        running.cancel()
        await running.value
        await converter.shutdown()
        await parser.shutdown()
        try held.store.close()
        try result.get()
    }

    private func fields(_ answer: PreviewAnswer) -> FileFields? {
        guard case .ready(let content) = answer else { return nil }
        return FileFields(json: content.bytes)
    }

    @Test func showsMailAsMail() async throws {
        try await working { put, fields, store in
            let file = try await put("call.eml", Array(Self.mail.replacing("\n", with: "\r\n").utf8))
            guard case .mail(let mail)? = self.fields(try await fields(file)) else {
                Issue.record("it is no mail")
                return
            }
            #expect(mail.subject == "Kapitalabruf für Fonds IV" && mail.date == 1_795_568_400)
            #expect(mail.from == [FieldPerson(name: "张三", address: "zhang@example.com")])
            #expect(
                mail.to == [
                    FieldPerson(name: "Ann", address: "ann@example.com"), FieldPerson(address: "bea@example.com"),
                ])
            #expect(mail.text == "Please pay the drawdown by Friday." && !mail.isCut)
            #expect(mail.attachments == [MailFields.Attachment(name: "notice.pdf", size: 9)])
            // Encoded text is found.
            while try await store.maintenance.index.indexPending() > 0 {}
            while try await store.maintenance.index.indexTexts() > 0 {}
            let ann = try await store.administration.user("ann@example.com").user.id
            for word in ["kapitalabruf", "drawdown", "notice", "张三"] {
                let hits = try await store.library.search(SearchQuery(text: word), of: ann).items
                #expect(hits.map(\.title) == ["call.eml"], "\(word)")
            }
        }
    }

    @Test func readsMarkupAndOddMail() async throws {
        try await working { put, fields, _ in
            let html = Self.mail.replacing("text/plain", with: "text/html")
            let file = try await put("html.eml", Array(html.utf8))
            guard case .mail(let mail)? = self.fields(try await fields(file)) else {
                Issue.record("it is no mail")
                return
            }
            #expect(mail.text == "Please pay the drawdown by Friday.")
            // Nested too deep, and too large: a reason, and nothing dies.
            var deep = "From: a@example.com\nTo: b@example.com\nSubject: x\n"
            for level in 0..<40 { deep += "Content-Type: multipart/mixed; boundary=b\(level)\n\n--b\(level)\n" }
            guard case .failed(.tooLarge) = try await fields(try await put("deep.eml", Array(deep.utf8))) else {
                Issue.record("it is too deep")
                return
            }
            let large = Self.mail + String(repeating: "word \n", count: 200_000)
            guard case .failed(.tooLarge) = try await fields(try await put("large.eml", Array(large.utf8))) else {
                Issue.record("it is too large")
                return
            }
        }
    }

    @Test func showsTablesAndCalendars() async throws {
        try await working { put, fields, store in
            // The name plays no part.
            let table = self.fields(try await fields(try await put("a.bin", Array("a,b\n1,2\n".utf8))))
            let rows = [["a", "b"], ["1", "2"]]
            #expect(
                table
                    == .table(TableFields(delimiter: ",", rows: rows, hasMoreRows: false, hasMoreColumns: false)))
            let event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Board\nEND:VEVENT\nEND:VCALENDAR\n"
            guard case .calendar? = self.fields(try await fields(try await put("b.bin", Array(event.utf8)))) else {
                Issue.record("it is no calendar")
                return
            }
            guard case .failed(.unsupported) = try await fields(try await put("c.csv", Array("%PDF-1.4\n".utf8)))
            else {
                Issue.record("it is no table")
                return
            }
            // A file that is quarantined by now is not given any more.
            let file = try await put("d.csv", Array("x,y\n3,4\n".utf8))
            #expect(self.fields(try await fields(file)) != nil)
            try await store.quarantine.quarantine(file.digest, malware: "Test", at: .now)
            guard case .failed(.quarantined) = try await fields(file) else {
                Issue.record("it is quarantined")
                return
            }
        }
    }
}
