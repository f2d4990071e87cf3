import FundCore
import Testing

@testable import FundmailCLI

/// Names, dates and funds of documents of Paperless-ngx.
struct PaperlessDocumentTests {
    @Test(arguments: [
        ("Q3 report", "a/2023 x.pdf", nil, "Q3 report.pdf"), ("scan.PDF", "x.pdf", nil, "scan.PDF"),
        (" ", "x.pdf", "letter.docx", "letter.pdf"), ("", "a/x.tar.gz", nil, "x.tar.gz"), ("v1.2", "x", nil, "v1.2"),
        ("a\u{0}/..", "x.png", nil, "a\u{0}/...png"),
    ])
    func names(_ title: String, _ path: String, _ original: String?, _ name: String) {
        var document = PaperlessDocument(id: 1, title: title)
        document.originalFileName = original
        #expect(document.fileName(of: path) == name)
    }

    @Test(arguments: [
        ("2023-05-01", "2023-05-01T12:00:00Z"), ("2023-05-01T00:00:00+02:00", "2023-04-30T22:00:00Z"),
        ("2023-05-01T10:20:30.123456Z", "2023-05-01T10:20:30Z"), ("0001-01-01", "0001-01-01T12:00:00Z"),
        ("0000-12-31", nil), ("99999-01-01", nil), ("2023-02-30", nil), ("yesterday", nil), ("", nil), (nil, nil),
    ])
    func dates(_ created: String?, _ time: String?) {
        var document = PaperlessDocument(id: 1, title: "")
        document.created = created
        #expect(document.createdAt == time.flatMap { Timestamp(internet: $0) })
    }

    /// Tags 1 to 3 are Alpha, Beta and an inbox; correspondent 1 is ACME.
    private static let labels = [
        PaperlessRecord.label(.tag, id: 1, name: "Alpha", isInbox: false),
        .label(.tag, id: 2, name: "Beta", isInbox: false), .label(.tag, id: 3, name: "Inbox", isInbox: true),
        .label(.correspondent, id: 1, name: "ACME", isInbox: false),
    ].reduce(into: PaperlessLabels()) { $0.add($1) }

    @Test(
        arguments: [
            ([1, 2], "", nil, "Alpha"), ([3, 2, 1], "", nil, "Beta"), ([3], "", nil, nil), ([3], "", "Rest", "Rest"),
            ([], "", "Rest", "Rest"), ([9], "", "Rest", "Rest"),
            ([1, 2], " beta ,Fund B\nALPHA,Fund A\n", nil, "Fund B"),
            ([1], "Beta,B\n", nil, "Alpha"), ([1, 2], "Beta,B\n", nil, "B"),
        ] as [([Int64], String, String?, String?)])
    func funds(_ tags: [Int64], _ table: String, _ fallback: String?, _ fund: String?) throws {
        var document = PaperlessDocument(id: 1, title: "")
        document.tags = tags
        let funds = PaperlessFunds(label: .tag, table: try .init("Name,Fund\n" + table), fallback: fallback)
        #expect(funds.fund(of: document, Self.labels) == fund)
    }

    @Test func otherLabels() {
        var document = PaperlessDocument(id: 1, title: "")
        (document.tags, document.correspondent) = ([1], 1)
        #expect(PaperlessFunds(label: .correspondent).fund(of: document, Self.labels) == "ACME")
        #expect(PaperlessFunds(label: .type, fallback: "Rest").fund(of: document, Self.labels) == "Rest")
        #expect(PaperlessFunds(label: nil, fallback: "Rest").fund(of: document, Self.labels) == "Rest")
    }

    @Test(arguments: [
        ("", 1), ("a,b\n", 1), ("name,fund\nx\n", 2), ("name,fund\n,y\n", 2), ("name,fund\nx,y\nX ,z\n", 3),
    ])
    func refusesTables(_ text: String, _ line: Int) throws {
        let error = try #require(throws: CSVReader.Malformed.self) { try PaperlessFunds.Table(text) }
        #expect(error.line == line)
    }
}
