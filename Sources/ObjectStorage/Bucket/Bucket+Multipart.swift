internal import Crypto
internal import FundCore
internal import MailConnection

/// An object on its way in parts. Any process may go on with it (https://docs.aws.amazon.com/AmazonS3/latest/userguide/
/// mpuoverview.html).
package struct MultipartUpload: Hashable, Sendable {
    package var key: ObjectKey
    /// The store's name of it.
    package var id: String

    package init(key: ObjectKey, id: String) { (self.key, self.id) = (key, id) }
}

/// A part that the store has.
package struct UploadedPart: Hashable, Sendable {
    /// From 1 to 10,000.
    package var number: Int
    /// The store's word for its bytes.
    package var tag: String
    /// Bytes.
    package var size: Int64

    package init(number: Int, tag: String, size: Int64) { (self.number, self.tag, self.size) = (number, tag, size) }
}

extension Bucket {
    /// Upper bound for the numbers of parts.
    package static let maxParts = 10_000

    /// Begins an object that is put in parts. One that is neither completed nor aborted takes room, and money.
    package func createUpload(at key: ObjectKey) throws(ObjectStorageError) -> MultipartUpload {
        let operation = "begin \(key)"
        let request = ObjectRequest(
            "POST", key, query: [("uploads", "")], fields: [Self.binary], body: [], operation: operation)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            guard let id = AnswerDocument(answer.body)?.text("UploadId"), !id.isEmpty else {
                throw ObjectStorageError(.unreadable, operation, "the store gives the upload no name")
            }
            return MultipartUpload(key: key, id: id)
        }.value
    }

    /// Puts a part; one of the same number takes the place of that before. Throws `missing` for an upload that was
    /// completed or aborted.
    package func putPart(
        _ number: Int, _ bytes: [UInt8], of upload: MultipartUpload
    ) throws(ObjectStorageError) -> UploadedPart {
        let (operation, digest) = ("put part \(number) of \(upload.key)", ContentDigest(SHA256.hash(data: bytes)))
        let request = ObjectRequest(
            "PUT", upload.key, query: [("partNumber", "\(number)"), ("uploadId", upload.id)], fields: [Self.binary],
            body: bytes, digest: digest, operation: operation)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            guard let tag = answer.fields["etag"], !tag.isEmpty else {
                throw ObjectStorageError(.unreadable, operation, "the store gives the part no tag")
            }
            return UploadedPart(number: number, tag: tag, size: Int64(bytes.count))
        }.value
    }

    /// The parts that the store has, in ascending order. Throws `missing` as `putPart`.
    package func parts(of upload: MultipartUpload) throws(ObjectStorageError) -> [UploadedPart] {
        var (parts, isWhole): ([UploadedPart], Bool) = ([], false)
        while !isWhole {
            let page = try self.parts(of: upload, after: parts.last?.number ?? 0)
            parts += page.parts
            isWhole = page.isLast
        }
        return parts
    }

    private func parts(
        of upload: MultipartUpload, after number: Int
    ) throws(ObjectStorageError) -> (parts: [UploadedPart], isLast: Bool) {
        let operation = "list the parts of \(upload.key)"
        let query = [("part-number-marker", "\(number)"), ("uploadId", upload.id)]
        let request = ObjectRequest("GET", upload.key, query: query.map { ($0, $1) }, operation: operation)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            let bad = ObjectStorageError(.unreadable, operation, "the answer is no list of parts")
            guard let document = AnswerDocument(answer.body), document.text("UploadId") == upload.id else { throw bad }
            var parts: [UploadedPart] = []
            for entry in document.all("Part") {
                guard let own = entry.text("PartNumber").flatMap({ Int($0) }), let tag = entry.text("ETag"),
                    let size = entry.text("Size").flatMap({ Int64($0) }), own > parts.last?.number ?? number
                else { throw bad }
                parts.append(UploadedPart(number: own, tag: tag, size: size))
            }
            let isLast = document.text("IsTruncated") != "true"
            guard isLast || !parts.isEmpty else { throw bad }
            return (parts, isLast)
        }.value
    }

    /// Makes the object of its parts, which is there at once and whole. Throws `exists` as `put`.
    ///
    /// - Parameter parts: all of them, in ascending order.
    package func complete(_ upload: MultipartUpload, _ parts: [UploadedPart]) throws(ObjectStorageError) {
        let operation = "complete \(upload.key)"
        let list = parts.map { part in
            "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(AnswerDocument.escaped(part.tag))</ETag></Part>"
        }
        let document =
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\(list.joined())"
            + "</CompleteMultipartUpload>"
        var fields = [(name: "Content-Type", value: "application/xml")]
        if abilities.hasConditionalPut { fields.append(("If-None-Match", "*")) }
        let request = ObjectRequest(
            "POST", upload.key, query: [("uploadId", upload.id)], fields: fields, body: Array(document.utf8),
            operation: operation)
        do throws(ObjectStorageError) {
            _ = try perform(request) { (answer) throws(ObjectStorageError) in
                try self.checkCompletion(answer, operation)
            }
        } catch {
            // An attempt whose answer did not come may have completed it: then there is no such upload any more.
            guard [.missing, .exists].contains(error.code), try isThere(upload.key, parts) else { throw error }
        }
    }

    /// The store sends the head of its answer, a success, before it begins.
    private func checkCompletion(_ answer: WebAnswer, _ operation: String) throws(ObjectStorageError) {
        guard let document = AnswerDocument(answer.body) else {
            throw ObjectStorageError(.lost, operation, "the store does not say whether it is done")
        }
        if let failure = self.failure(in: document, of: answer, operation) { throw failure }
        guard document.name == "CompleteMultipartUploadResult" else {
            throw ObjectStorageError(.unreadable, operation, "the store does not say whether it is done")
        }
    }

    private func isThere(_ key: ObjectKey, _ parts: [UploadedPart]) throws(ObjectStorageError) -> Bool {
        do throws(ObjectStorageError) {
            return try facts(of: key).size == parts.reduce(0) { $0 + $1.size }
        } catch {
            if error.code == .missing { return false }
            throw error
        }
    }

    /// Gives up an upload, and the parts that came. Nothing happens where there is none.
    package func abort(_ upload: MultipartUpload) throws(ObjectStorageError) {
        let request = ObjectRequest(
            "DELETE", upload.key, query: [("uploadId", upload.id)], operation: "abort \(upload.key)")
        do throws(ObjectStorageError) { _ = try perform(request) { _ in } } catch {
            guard error.code == .missing else { throw error }
        }
    }
}
