internal import Hummingbird
import FundCore
internal import NIOCore

/// An answer that is written while it is sent: no more of it is in memory than one page of the store and one piece of JSON, however
/// slowly the client takes it. What the mobile API answers whole has no pages that a client could ask for.
struct MobileStream {
    /// What is sent at once.
    private static let pieceBytes = 64 * 1024

    var json = JSONWriter()
    private var writer: any ResponseBodyWriter

    /// `fill` writes the members after `status`. When it throws the connection ends, so a part cannot be taken for the whole.
    static func body(_ fill: @escaping @Sendable (inout MobileStream) async throws -> Void) -> ResponseBody {
        ResponseBody { writer in
            var stream = MobileStream(writer: writer)
            stream.json.beginObject()
            stream.json.field("status", "OK")
            try await fill(&stream)
            stream.json.endObject()
            try await stream.writer.write(ByteBuffer(bytes: stream.json.drain()))
            writer = stream.writer
            try await writer.finish(nil)
        }
    }

    private init(writer: any ResponseBodyWriter) { self.writer = writer }

    /// Sends what is written so far, if it is much. Waits until the client has taken what was sent before.
    mutating func flush() async throws {
        guard json.bytes.count >= Self.pieceBytes else { return }
        try await writer.write(ByteBuffer(bytes: json.drain()))
    }
}

extension MobileReply {
    /// All pages of a list as one. `more` gives the page that begins at a cursor.
    static func list<Item: Sendable>(
        _ name: StaticString, _ first: Page<Item>, more: @escaping @Sendable (String) async throws -> Page<Item>,
        _ write: @escaping @Sendable (inout JSONWriter, Item) -> Void
    ) -> Response {
        guard first.next != nil else { return ok { $0.field(name, first.items, write) } }
        return streamed { stream in
            stream.json.key(name)
            stream.json.beginArray()
            var page = first
            while true {
                for item in page.items {
                    write(&stream.json, item)
                    try await stream.flush()
                }
                guard let next = page.next else { break }
                page = try await more(next)
            }
            stream.json.endArray()
        }
    }

    /// The notes of a fund with what was deleted. Each is sent once, as it is when its page is read.
    static func notes(
        _ first: NotePage, isChanges: Bool, time: Int64,
        more: @escaping @Sendable (String) async throws -> NotePage
    ) -> Response {
        guard first.next != nil else {
            return ok { json in
                json.field("notes", first.notes) { $0.mobileNote($1) }
                json.field("deleted", isChanges ? first.deleted : []) { $0.value($1) }
                json.field("time", time)
            }
        }
        return streamed { stream in
            var (sent, deleted): (Set<NoteEntry.ID>, Set<NoteEntry.ID>) = ([], [])
            stream.json.key("notes")
            stream.json.beginArray()
            var page = first
            while true {
                for note in page.notes {
                    deleted.remove(note.id)
                    // One that changes meanwhile comes again at the end. The client, who asks for what changed since `time`,
                    // gets that then.
                    guard sent.insert(note.id).inserted else { continue }
                    stream.json.mobileNote(note)
                    try await stream.flush()
                }
                deleted.formUnion(page.deleted)
                guard let next = page.next else { break }
                page = try await more(next)
            }
            stream.json.endArray()
            stream.json.field("deleted", isChanges ? deleted.sorted() : []) { $0.value($1) }
            stream.json.field("time", time)
        }
    }
}
