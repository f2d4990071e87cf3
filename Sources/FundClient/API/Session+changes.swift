internal import HTTPTypes

extension Session {
    private struct ChangeList: Decodable {
        var changes: [Change]
        var cursor: ChangeCursor
        var hasMore: Bool
        var history: String?
    }

    /// Changes after a cursor, in the order in which they happened, each thing once.
    ///
    /// Throws `outdated` when the cursor is not of this server's history: forget what is known, and begin anew with
    /// `ChangeCursor.beginning`.
    /// - Parameters:
    ///   - withItems: each change comes with what changed, as it is now.
    ///   - limit: 1 to `maxPageSize`.
    public func changes(
        since cursor: ChangeCursor, withItems: Bool, limit: Int = Session.maxPageSize
    ) async throws(ClientError) -> ChangePage {
        let list = try await value(
            ChangeList.self,
            .get(
                "/api/v1/changes",
                [("since", "\(cursor.value)"), ("limit", "\(limit)"), ("items", withItems ? "true" : nil)]))
        return ChangePage(
            changes: list.changes, cursor: list.cursor, hasMore: list.hasMore, history: list.history)
    }

    /// Changes as they happen, from the cursor on, without their items. The stream ends, or throws `ClientError`, when
    /// the connection does: begin again from the cursor of the last change, after a moment.
    public func events(since cursor: ChangeCursor) -> AsyncThrowingStream<Change, any Error> {
        let reader = EventReader {
            var call = Call.get("/api/v1/changes", [("since", "\(cursor.value)")])
            call.headers[.accept] = "text/event-stream"
            let response = try await self.stream(call)
            guard response.head.headerFields[.contentType]?.hasPrefix("text/event-stream") ?? false else {
                throw self.foreignAnswer(to: call, "something else than events")
            }
            return response.body
        }
        return AsyncThrowingStream {
            while let event = try await reader.next() {
                // Others, such as those of previews, are no changes to go on from.
                if event.name == "change" { return try JSON.value(Change.self, from: Array(event.data.utf8)) }
            }
            return nil
        }
    }
}

extension Change: Decodable {
    private enum CodingKeys: CodingKey { case cursor, type, id, isDeleted, item }

    /// Reads an object with `type` among its members.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        cursor = try container.decode(ChangeCursor.self, forKey: .cursor)
        kind = try container.decode(Kind.self, forKey: .type)
        id = try container.decode(Int64.self, forKey: .id)
        isDeleted = try container.decode(Bool.self, forKey: .isDeleted)
        guard try container.contains(.item) && !container.decodeNil(forKey: .item) else {
            item = nil
            return
        }
        item =
            switch kind {
            case .fund: .fund(try container.decode(Fund.self, forKey: .item))
            case .folder: .folder(try container.decode(Folder.self, forKey: .item))
            case .file: .file(try container.decode(File.self, forKey: .item))
            case .email: .email(try container.decode(EmailSummary.self, forKey: .item))
            case .note: .note(try container.decode(Note.self, forKey: .item))
            }
    }
}
