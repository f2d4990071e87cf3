import Hummingbird
import NIOCore
import Testing

@testable import FundHTTP
@testable import FundServer

struct MultipartReaderTests {
    private static let form = [
        "--b\r\n", "Content-Disposition: form-data; name=\"csrf\"\r\n\r\n", "token\r\n", "--b\r\n",
        "Content-Disposition: form-data; name=\"file\"; filename=\"a%22b.txt\"\r\nContent-Type: text/plain\r\n\r\n",
        "one\r\n--not the boundary\r\ntwo\r\n", "\r\n--b\r\n",
        "Content-Disposition: form-data; name=\"file\"; filename=\"empty\"\r\n\r\n", "\r\n--b--\r\n",
    ].joined()

    private struct Read: Equatable {
        var part: Multipart.Part
        var content: String
    }

    private static func read(_ text: String, pieces size: Int) async throws -> [Read] {
        let bytes = Array(text.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            ByteBuffer(bytes: bytes[$0..<min($0 + size, bytes.count)])
        }
        let body = RequestBody(
            asyncSequence: AsyncStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish()
            })
        var reader = MultipartReader(body, boundary: Array("b".utf8))
        var found: [Read] = []
        while let part = try await reader.nextPart() {
            var content = ""
            while let chunk = try await reader.nextChunk() { content += String(buffer: chunk) }
            found.append(Read(part: part, content: content))
        }
        return found
    }

    /// However the body is cut into pieces.
    @Test(arguments: [1, 2, 3, 7, 64, 10_000])
    func readsEachPart(size: Int) async throws {
        let found = try await Self.read(Self.form, pieces: size)
        #expect(
            found == [
                Read(part: .init(name: "csrf", contentType: MediaTypes.unknown), content: "token"),
                Read(
                    part: .init(name: "file", fileName: "a\"b.txt", contentType: "text/plain"),
                    content: "one\r\n--not the boundary\r\ntwo\r\n"),
                Read(part: .init(name: "file", fileName: "empty", contentType: MediaTypes.unknown), content: ""),
            ])
    }

    /// Characters that Unicode takes for a part of the quotation mark, or for a line end, belong to the name.
    @Test(arguments: [
        "\u{301}accent.txt", "\u{1F3FD}skin.txt", "\u{FE0F}.txt", "a\u{2028}b", "a\u{85}b", "a\u{B}b", "a\nb", "a\rb",
        "%22\u{301}",
    ])
    func keepsEachName(name: String) async throws {
        let field = "Content-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\nContent-Type: text/plain"
        let found = try await Self.read("--b\r\n\(field)\r\n\r\ncontent\r\n--b--", pieces: 16)
        let wanted = name.utf8.starts(with: "%22".utf8) ? "\"\u{301}" : name
        let part = Multipart.Part(name: "file", fileName: wanted, contentType: "text/plain")
        #expect(found == [Read(part: part, content: "content")])
    }

    /// A body of line ends, a byte at a time, takes no longer than any other: what was searched is not searched again.
    @Test
    func readsManySmallPieces() async throws {
        let content = String(repeating: "\r", count: 60_000) + "\r\n--no"
        let form = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(content)\r\n--b--"
        let found = try await Self.read(form, pieces: 1)
        #expect(found.map(\.content) == [content])
    }

    /// A body that ended early is never taken for a whole one.
    @Test
    func refusesEveryCutOffBody() async throws {
        let whole = Self.form.dropLast(2)  // the last line end may be missing
        for length in 0..<whole.utf8.count {
            await #expect(throws: RequestError.self, "\(length)") {
                _ = try await Self.read(String(whole.prefix(length)), pieces: 16)
            }
        }
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=b", "b"), ("multipart/form-data; boundary=\"b c\"", "b c"),
        ("text/plain; boundary=b", nil), ("multipart/form-data", nil), ("multipart/form-data; boundary=", nil),
    ])
    func findsTheBoundary(field: String, boundary: String?) {
        #expect(Multipart.boundary(field) == boundary.map { Array($0.utf8) })
    }
}
