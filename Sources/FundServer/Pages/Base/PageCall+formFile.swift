internal import FundHTTP
internal import FundCore
internal import Hummingbird

extension PageCall {
    /// Answers with the file of a form that uploads one, which has the field `csrf` and behind it `file`.
    ///
    /// Throws 415 when the body is no form, 403 when it is not of a page of this session, 400 when it has no file, 413
    /// when that has more than `most` bytes, and 503 when the user reads as many files as one may at a time.
    func withFormFile(
        upTo most: Int, _ answer: (_ name: String?, _ bytes: [UInt8]) async throws -> Response
    ) async throws -> Response {
        guard let boundary = Multipart.boundary(request.headers[.contentType]) else {
            throw RequestError(.unsupportedMediaType, "not-form", "the body must be a form")
        }
        context.connection.beginUpload()
        var reader = MultipartReader(request.body, boundary: boundary)
        guard let first = try await reader.nextPart(), first.name == "csrf",
            let token = try await reader.rest(upTo: 256)
        else { throw RequestError.foreignForm }
        try checkToken(String(decoding: token, as: UTF8.self))
        guard let part = try await reader.nextPart(), part.name == "file" else {
            throw RequestError.invalid("the form has no file")
        }
        let permit = try importPermit()
        defer { withExtendedLifetime(permit) {} }
        guard let bytes = try await reader.rest(upTo: most) else { throw RequestError.tooLarge }
        return try await answer(part.fileName, bytes)
    }
}
