internal import Foundation
import FundStore
internal import HTTPTypes
internal import Hummingbird
import FundCore
internal import NIOCore
internal import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Long lists of the mobile API, which are sent while they are read.
@Suite struct MobileStreamTests {
    /// A client that takes nothing until it is told to.
    private final class Client: Sendable {
        struct State {
            var taken: [UInt8] = []
            var largest = 0
            var waiting: CheckedContinuation<Void, Never>?
            var isOpen = false
            var pages = 1
        }
        let state = Mutex(State())

        func take(_ bytes: [UInt8]) async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    state.taken += bytes
                    state.largest = max(state.largest, bytes.count)
                    if !state.isOpen { state.waiting = continuation }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                return state.waiting
            }
            waiting?.resume()
        }
    }

    private struct Writer: ResponseBodyWriter {
        let client: Client
        mutating func write(_ buffer: ByteBuffer) async throws { await client.take(Array(buffer.readableBytesView)) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    /// Notes of a megabyte: while the client takes nothing, no further page is read, and no piece is larger than a
    /// note and what came before it.
    @Test func nothingIsReadAheadOfTheClient() async throws {
        let (client, count, content) = (Client(), 20, String(repeating: "n", count: 1 << 20))
        @Sendable func page(_ index: Int) -> NotePage {
            let number = Int64(index + 1)
            let note = NoteEntry(
                id: .init(number), fund: 1, text: NoteText(title: "", content: content), createdAt: 1,
                modifiedAt: .init(number))
            return NotePage(notes: [note], deleted: [], next: index + 1 < count ? "\(index + 1)" : nil)
        }
        let response = MobileReply.notes(page(0), isChanges: false, time: 9) { cursor in
            client.state.withLock { $0.pages += 1 }
            return page(Int(cursor) ?? 0)
        }
        let sending = Task { try await response.body.write(Writer(client: client)) }
        try await eventually { client.state.withLock { $0.waiting != nil } }
        for _ in 0..<1000 { await Task.yield() }
        #expect(client.state.withLock { $0.pages } == 1)
        client.open()
        try await sending.value
        #expect(client.state.withLock { $0.pages } == count)
        let (taken, largest) = client.state.withLock { ($0.taken, $0.largest) }
        #expect(largest < content.utf8.count + 200_000)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(taken)) as? [String: Any])
        #expect((object["notes"] as? [[String: Any]])?.count == count && object["time"] as? Int64 == 9)
        #expect(object["status"] as? String == "OK")
    }

    /// A note that changes while the list is sent is in it once, and a deleted one is named.
    @Test func eachNoteIsSentOnce() async throws {
        func note(_ id: Int64, _ title: String = "old") -> NoteEntry {
            NoteEntry(
                id: .init(id), fund: 1, text: NoteText(title: title, content: ""), createdAt: 1, modifiedAt: .init(id))
        }
        let pages = [
            "1": NotePage(notes: [note(3), note(1, "new")], deleted: [5], next: "2"),
            "2": NotePage(notes: [note(4)], deleted: [2], next: nil),
        ]
        let first = NotePage(notes: [note(1), note(2)], deleted: [4], next: "1")
        let response = MobileReply.notes(first, isChanges: true, time: 1) { try #require(pages[$0]) }
        let client = Client()
        client.open()
        try await response.body.write(Writer(client: client))
        let text = String(decoding: client.state.withLock { $0.taken }, as: UTF8.self)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect((object["notes"] as? [[String: Any]])?.compactMap { $0["id"] as? Int64 } == [1, 2, 3, 4])
        #expect(object["deleted"] as? [Int64] == [2, 5])
    }

    @Test func longListsComeWhole() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let content = String(repeating: "\u{1}\"é", count: 100_000)
        for index in 0..<7 {
            _ = try await harness.store.library.addNote(
                NoteText(title: "\(index)", content: content), in: harness.fund.id, of: harness.ann.id)
        }
        let notes = try await chunked(harness, harness.call(session, "/notes/\(harness.fund.id)"))
        let list = try #require(notes["notes"] as? [[String: Any]])
        #expect(list.compactMap { $0["title"] as? String } == (0..<7).map(String.init))
        #expect(list.allSatisfy { $0["content"] as? String == content })
        for index in 0..<520 { _ = try await harness.store.library.addFund("f\(index)", of: harness.ann.id) }
        let funds = try await chunked(harness, harness.call(session, "/funds"))
        #expect((funds["funds"] as? [[String: Any]])?.count == 521)
    }

    /// Reads to the end of the connection, and takes the chunks apart (RFC 9112 §7.1).
    private func chunked(_ harness: MobileHarness, _ call: MobileHarness.Call) async throws -> [String: Any] {
        let connection = try RawHTTPConnection(port: harness.server.port)
        await connection.send(
            "GET \(call.path)/\(call.sign)?\(call.query) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let all = await connection.everything()
        let head = try #require(all.firstRange(of: Array("\r\n\r\n".utf8)))
        var (rest, body) = (all[head.upperBound...], [UInt8]())
        while let line = rest.firstIndex(of: 13),
            let size = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16),
            size > 0
        {
            let start = line + 2
            body += rest[start..<(start + size)]
            rest = rest[(start + size + 2)...]
        }
        return try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    }
}
