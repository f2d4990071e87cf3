import FundCore
import TestSupport
import Testing

@testable import DriveBridge

/// Listings and failures of rclone.
struct AnswerTests {
    @Test(arguments: [1, 7, 4096])
    func entriesWhileTheyCome(_ piece: Int) throws {
        let text = """
            [
            {"Path":"a b","Name":"a b","Size":3,"ModTime":"2026-11-29T16:26:44.5+01:00","IsDir":false,\
            "Hashes":{"md5":"x","sha256":"\(String(repeating: "0", count: 64))"}},
            {"Path":"d","Name":"d","Size":-1,"ModTime":"0001-01-01T00:00:00Z","IsDir":true,"ID":"i"},
            {"Path":"..","Name":"..","Size":1,"IsDir":false},
            {"Path":"doc","Name":"doc","Size":-1,"ModTime":"2026-01-01T00:00:00Z","IsDir":false}
            ]

            """
        var (lines, entries) = (EntryLines(), [DriveEntry]())
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { bytes in
                try lines.read(bytes) { entries.append($0.entry()) }
            }
        }
        #expect(entries.map(\.name) == ["a b", "d", "..", "doc"] && entries.map(\.size) == [3, nil, 1, nil])
        #expect(entries[0].version == "md5:x" && entries[0].digest != nil && entries[1].storeID == "i")
        #expect(entries[0].modifiedAt == Timestamp(1_795_966_004) && entries[1].modifiedAt == nil)
        #expect(entries[3].version == "2026-01-01T00:00:00Z/-1")
    }

    @Test func textsThatAreTooLongCountForNone() throws {
        let long = String(repeating: "x", count: DriveEntry.maxTextBytes + 1)
        let entry = try #require(
            ListedEntry.read(
                Array(
                    """
                    {"Path":"a","Name":"a","Size":3,"MimeType":"\(long)","IsDir":false,"ID":"\(long)",\
                    "Hashes":{"md5":"\(long)"}}
                    """.utf8))
        ).entry()
        #expect(entry.storeID == nil && entry.version == nil && entry.contentType == nil && entry.name == "a")
    }

    @Test(arguments: [
        ("Internal Server Error: 500 Internal Server Error", "status 500"),
        ("Put \"https://h.example:443 \": dial tcp 1.2.3.4:443: connect: odd", nil),
        ("dial tcp [2a00::1]:443: connect: odd", nil), ("failed: (418: I'm a teapot)", "status 418"),
        ("Get \"https://nas:443 again\": odd", nil), ("error:501 Not Implemented", "status 501"),
    ])
    func statusesAreNoPorts(_ errors: String, _ detail: String?) {
        #expect(RcloneErrors.error(errors, status: 1, besides: []).detail == detail)
    }

    @Test(
        arguments: [
            ("Failed to lsjson: read metadata failed: Unauthorized: 401 Unauthorized", 1, .login),
            ("ERROR : x: Failed: Put \"https://h/x\": Forbidden", 1, .refused),
            ("DirMove MOVE call failed: Forbidden: 403 Forbidden", 1, .refused),
            ("error in ListJSON: directory not found", 3, .notFound), ("object not found", 4, .notFound),
            ("rmdir failed: Not Found: 404 Not Found", 1, .notFound),
            ("Too Many Requests: 429 Too Many Requests", 1, .busy),
            ("Service Unavailable: 503 Service Unavailable", 1, .busy),
            ("Insufficient Storage: 507 Insufficient Storage", 1, .full),
            ("tls: failed to verify certificate: x509: certificate signed by unknown authority", 1, .certificate),
            ("Internal Server Error: 500 Internal Server Error", 1, .server),
            ("dial tcp: i/o timeout", 1, .tooSlow), ("net/http: TLS handshake timeout", 1, .tooSlow),
            ("SignatureDoesNotMatch: status code: 403, request id: 401", 1, .login), ("what?", 1, .server),
            ("", 137, .broken), ("quota exceeded/401 Unauthorized.txt: odd", 1, .server),
        ] as [(String, Int32, DriveProblem)])
    func problems(_ errors: String, _ status: Int32, _ problem: DriveProblem) {
        let error = RcloneErrors.error(
            errors, status: status, besides: ["quota exceeded", "401 Unauthorized.txt", "x"])
        #expect(error.problem == problem, "\(errors)")
    }
}
