internal import Hummingbird
import FundCore

/// A response that is written while it is sent, for lists that this API gives whole: memory holds one page of the store
/// and one piece of JSON, however slowly the client reads.
struct MobileStream {
    /// Bytes that are sent at once.
    private static let pieceBytes = 64 * 1024

    var json = JSONWriter()
    private var writer: any ResponseBodyWriter

    /// - Parameter fill: writes the members after `status`. When it throws, the connection ends, so that a part is not
    ///   taken for the whole.
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

    /// Sends what is written so far once it is a piece. Waits until the client has read what was sent before.
    mutating func flush() async throws {
        guard json.bytes.count >= Self.pieceBytes else { return }
        try await writer.write(ByteBuffer(bytes: json.drain()))
    }
}

extension MobileReply {
    /// All pages of a list as one array.
    /// - Parameter more: gives the page that begins at a cursor.
    static func list<Item: Sendable>(
        _ name: StaticString, _ first: ListPage<Item>, write: @escaping @Sendable (inout JSONWriter, Item) -> Void,
        more: @escaping @Sendable (String) async throws -> ListPage<Item>
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

    /// The notes of a fund and the ids of deleted ones. Each note is sent once, as it is when its page is read.
    static func notes(
        _ first: NotePage, isChanges: Bool, time: Timestamp, more: @escaping @Sendable (String) async throws -> NotePage
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
                    // A note that changes meanwhile comes again at the end of the list. The client gets that change
                    // when it asks for changes since `time`.
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
