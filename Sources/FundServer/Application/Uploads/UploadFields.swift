internal import FundHTTP
internal import HTTPTypes
internal import FundCore

/// The fields of resumable uploads, draft-ietf-httpbis-resumable-upload-12 (interop version 8). Values are structured
/// fields (RFC 9651); a field with another value counts as none, as §4.1 says. Parameters are ignored.
struct UploadFields: Sendable, Hashable {
    /// Version of this draft, in `Upload-Draft-Interop-Version`.
    static let interopVersion: Int64 = 8
    /// Media type of the bodies of requests that append.
    static let contentType = "application/partial-upload"

    /// Whether the body ends the whole.
    var isComplete: Bool?
    /// Where the body begins in the whole.
    var offset: Int64?
    /// Bytes of the whole.
    var length: Int64?
    /// Whether the client knows this draft: only then is it told by 104 (Upload Resumption Supported).
    var knowsDraft: Bool
    /// Bytes of the body; nil when the head does not tell.
    var contentLength: Int64?

    /// Throws 413 for a body whose length is no number of this world.
    init(_ headers: HTTPFields) throws {
        isComplete = Self.item(headers, .uploadComplete).flatMap { ["?1": true, "?0": false][$0] }
        offset = Self.item(headers, .uploadOffset).flatMap(Self.integer)
        length = Self.item(headers, .uploadLength).flatMap(Self.integer)
        knowsDraft = Self.item(headers, .uploadDraftInteropVersion).flatMap(Self.integer) == Self.interopVersion
        contentLength = try headers[.contentLength].map { text in
            guard let bytes = Int64(text) else { throw RequestError.tooLarge }
            return bytes
        }
        if contentLength == nil, !headers.contains(.transferEncoding) { hasLengthlessBody = true }
    }

    /// Neither a length nor a coding: no body in HTTP/1.1, any in HTTP/2.
    private(set) var hasLengthlessBody = false

    /// Whether a body comes that holds something, as far as the head says.
    var announcesBytes: Bool { contentLength.map { $0 > 0 } ?? !hasLengthlessBody }

    /// Bytes of the whole, as this request says it: by `Upload-Length`, and by a complete body's own length. Throws 400
    /// when these differ, or differ from what is known.
    func wholeLength(from offset: Int64, known: Int64? = nil) throws -> Int64? {
        let ofBody = isComplete == true ? contentLength.map { offset.addingReportingOverflow($0).partialValue } : nil
        let lengths = Set([known, length, ofBody].compactMap(\.self))
        guard lengths.count <= 1, ofBody ?? 0 >= 0 else { throw UploadProblem.inconsistentLength }
        if let whole = lengths.first, let contentLength, whole - offset < contentLength {
            throw UploadProblem.inconsistentLength
        }
        return lengths.first
    }

    /// The bare item of a field that comes once.
    private static func item(_ headers: HTTPFields, _ name: HTTPField.Name) -> String? {
        let values = headers[values: name]
        guard values.count == 1, let value = values.first, value.utf8.count <= 64 else { return nil }
        let item = value.prefix { $0 != ";" }.drop { $0 == " " }
        return String(item.reversed().drop { $0 == " " }.reversed())
    }

    /// Not negative, of 15 digits at most (RFC 9651 §3.3.1).
    private static func integer(_ text: String) -> Int64? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        return Int64(text)
    }
}

/// Failures of resumable uploads, whose problem types are registered (§6 of the draft).
enum UploadProblem {
    static let inconsistentLength = registered(
        .badRequest, "inconsistent-upload-length", "what was said of the upload's length does not fit together")
    static let completed = registered(
        .badRequest, "completed-upload", "the upload is complete; nothing can be added",
        headers: [.uploadComplete: "?1"])

    /// 409.
    static func mismatchingOffset(_ offset: Int64, expected: Int64, isComplete: Bool) -> RequestError {
        var error = registered(
            .conflict, "mismatching-upload-offset", "the upload goes on at \(expected)",
            headers: [.uploadOffset: "\(expected)", .uploadComplete: isComplete ? "?1" : "?0"])
        error.numbers = ["expected-offset": expected, "provided-offset": offset]
        return error
    }

    /// 415.
    static let wrongType = RequestError(
        .unsupportedMediaType, "no-partial-upload", "send what is added as \(UploadFields.contentType)",
        headers: [.acceptPatch: UploadFields.contentType])

    /// 429.
    static let tooMany = RequestError(
        .tooManyRequests, "too-many-uploads", "you have too many uploads that are not complete",
        headers: [.retryAfter: "60"])

    private static func registered(
        _ status: HTTPResponse.Status, _ code: String, _ detail: String, headers: HTTPFields = [:]
    ) -> RequestError {
        var error = RequestError(status, code, detail, headers: headers)
        error.type = "https://iana.org/assignments/http-problem-types#\(code)"
        return error
    }
}

extension HTTPField.Name {
    static let uploadComplete = constant("Upload-Complete")
    static let uploadOffset = constant("Upload-Offset")
    static let uploadLength = constant("Upload-Length")
    static let uploadLimit = constant("Upload-Limit")
    static let uploadDraftInteropVersion = constant("Upload-Draft-Interop-Version")
    static let acceptPatch = constant("Accept-Patch")
}

extension HTTPResponse.Status {
    /// §5 of the draft.
    static let uploadResumptionSupported = HTTPResponse.Status(code: 104, reasonPhrase: "Upload Resumption Supported")
}
