internal import HTTPTypes

extension Session {
    /// Begins to load bytes. The call is repeated until the server answers; when the body is cut off, ask again from
    /// the offset that was reached.
    ///
    /// Throws `invalid` with the status 416 when `offset` is at the end of the content, or behind it.
    /// - Parameters:
    ///   - offset: of the first byte that is wanted.
    ///   - digest: of the content of which the bytes before `offset` are known. When the content is another one by now,
    ///     all of it comes (`Content.offset` is 0 then).
    public func content(
        of source: ContentSource, from offset: Int64 = 0, ifRange digest: Digest? = nil
    ) async throws(ClientError) -> Content {
        switch source {
        case .file(let id): try await content(at: "/api/v1/files/\(id)/content", from: offset, digest)
        case .email(let id): try await content(at: "/api/v1/emails/\(id)/raw", from: offset, digest)
        case .attachment(let id): try await attachment(id, from: offset, digest)
        }
    }

    private func attachment(
        _ id: AttachmentID, from offset: Int64, _ digest: Digest?
    ) async throws(ClientError) -> Content {
        try await mobileOrWeb { () async throws(ClientError) in
            var call = Call.get("/attachments/\(id)")
            call.headers = Self.rangeFields(from: offset, digest)
            return try Content(try await self.mobileStream(call), asked: offset)
        } web: { () async throws(ClientError) in
            try await self.content(at: "/api/v1/attachments/\(id)/content", from: offset, digest)
        }
    }

    /// The bytes of a content from an offset on. With `ifRange` the server begins anew when the content is another one.
    public func content(
        of file: FileID, from offset: Int64 = 0, ifRange digest: Digest? = nil
    ) async throws(ClientError) -> Content {
        try await content(of: .file(file), from: offset, ifRange: digest)
    }

    private func content(
        at path: String, from offset: Int64, _ digest: Digest?
    ) async throws(ClientError) -> Content {
        var call = Call.get(path)
        call.headers = Self.rangeFields(from: offset, digest)
        let response = try await stream(call)
        // Servers of this program say of all bytes what they are.
        guard response.head.headerFields[.eTag] != nil else {
            throw foreignAnswer(to: call, "bytes without a tag in place of the content")
        }
        return try Content(response, asked: offset)
    }

    static func rangeFields(from offset: Int64, _ digest: Digest?) -> HTTPFields {
        guard offset > 0 else { return [:] }
        var fields: HTTPFields = [.range: "bytes=\(offset)-"]
        if let digest { fields[.ifRange] = EntityTag(digest).text }
        return fields
    }
}

extension Content {
    /// - Parameter offset: that was asked for.
    init(_ response: TransportResponse, asked offset: Int64) throws(ClientError) {
        let fields = response.head.headerFields
        let length = fields[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
        status = response.head.status.code
        digest = fields[.eTag].flatMap { Digest(hex: $0.trimmed(of: "\"")) }
        contentType = fields[.contentType]
        body = ContentBody(body: response.body, length: length)
        guard response.head.status == .partialContent else {
            self.offset = 0
            totalSize = length
            return
        }
        // RFC 9110 §14.4: `bytes 10-99/100`.
        let words = fields[.contentRange]?.split(whereSeparator: { " -/".contains($0) }) ?? []
        guard words.count == 4, words[0] == "bytes", let first = Int64(words[1]), first == offset else {
            throw ClientError(.protocolViolation, "another part came than was asked for")
        }
        self.offset = first
        totalSize = Int64(words[3])
    }
}

extension String {
    fileprivate func trimmed(of character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}
