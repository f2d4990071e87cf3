package import FundCore
internal import MailConnection

/// An object as a listing names it.
package struct ListedObject: Hashable, Sendable {
    /// Without the prefix of the bucket's address. Objects that other programs put may have any name.
    package var name: String
    /// Bytes.
    package var size: Int64
    /// When it was put.
    package var time: Timestamp
}

extension Bucket {
    /// Objects on a page, the most that stores give.
    private static let pageObjects = 1000

    /// Lists all objects whose names begin with a text, in the order of their bytes, a page at a time
    /// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
    ///
    /// Any failure ends it, and so does an answer that cannot be read or that leads back: an object that is not in a
    /// listing is gone, for those who sweep. Throws what `body` throws, too.
    ///
    /// - Parameter pageObjects: objects on a page.
    package func list(
        _ prefix: String, pageObjects: Int = Bucket.pageObjects, _ body: ([ListedObject]) throws -> Void
    ) throws {
        var (token, last): (String?, String) = (nil, "")
        repeat {
            let page = try page(of: prefix, after: token, pageObjects)
            for object in page.objects {
                guard last.utf8.lexicographicallyPrecedes(object.name.utf8) else {
                    throw unreadable("the store lists \(object.name.label) out of order")
                }
                last = object.name
            }
            guard page.token != token || token == nil else { throw unreadable("the store gives the same page again") }
            token = page.token
            try body(page.objects)
        } while token != nil
    }

    private var listing: String { "list objects" }

    private func unreadable(_ message: String) -> ObjectStorageError {
        ObjectStorageError(.unreadable, listing, message)
    }

    private func page(
        of prefix: String, after token: String?, _ count: Int
    ) throws(ObjectStorageError) -> (objects: [ListedObject], token: String?) {
        var query = [("list-type", "2"), ("max-keys", "\(count)"), ("prefix", address.prefix + prefix)]
        if let token { query.append(("continuation-token", token)) }
        let request = ObjectRequest("GET", nil, query: query.map { ($0, $1) }, operation: listing)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            guard let document = AnswerDocument(answer.body), document.name == "ListBucketResult" else {
                throw self.unreadable("the answer is no listing")
            }
            let objects = try document.all("Contents").map { (entry) throws(ObjectStorageError) in
                try self.object(entry, under: prefix)
            }
            switch (document.text("IsTruncated"), document.text("NextContinuationToken")) {
            case ("false", _): return (objects, nil)
            case ("true", let next?) where !next.isEmpty: return (objects, next)
            default: throw self.unreadable("the store does not say whether the listing goes on")
            }
        }.value
    }

    private func object(_ entry: AnswerDocument, under prefix: String) throws(ObjectStorageError) -> ListedObject {
        guard let name = entry.text("Key"), name.utf8.starts(with: (address.prefix + prefix).utf8),
            let size = entry.text("Size").flatMap({ Int64($0) }), size >= 0,
            let time = entry.text("LastModified").flatMap({ Timestamp(internet: $0) })
        else { throw unreadable("the store lists an object without its name, size or time") }
        let own = String(decoding: name.utf8.dropFirst(address.prefix.utf8.count), as: UTF8.self)
        return ListedObject(name: own, size: size, time: time)
    }
}
