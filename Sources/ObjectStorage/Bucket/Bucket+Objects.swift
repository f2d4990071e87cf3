internal import Crypto
package import FundCore
internal import MailConnection

/// Facts of an object, without its bytes.
package struct ObjectFacts: Hashable, Sendable {
    /// Bytes.
    package var size: Int64
    /// SHA-256 as it was when the object was put; nil for one that this program did not put.
    package var digest: ContentDigest?
}

/// Bytes of an object, and where they stand in it.
package struct ObjectPart: Hashable, Sendable {
    package var bytes: [UInt8]
    package var range: Range<Int64>
    /// Bytes of the whole object.
    package var size: Int64
}

extension Bucket {
    /// Metadata with the SHA-256 of an object.
    private static let digestField = "x-amz-meta-sha256"
    static let binary = (name: "Content-Type", value: "application/octet-stream")

    /// Puts an object. The store compares the bytes with their digest where it can.
    ///
    /// Throws `exists` where another object has this name, as far as the store can tell (`hasConditionalPut`): a name
    /// that is put but once has a random part.
    package func put(_ bytes: [UInt8], at key: ObjectKey) throws(ObjectStorageError) {
        let digest = ContentDigest(SHA256.hash(data: bytes))
        var fields = [Self.binary, (Self.digestField, digest.hex)]
        if abilities.hasChecksums { fields.append(Self.checksum(digest)) }
        if abilities.hasConditionalPut { fields.append(("If-None-Match", "*")) }
        try put(key, bytes, digest, fields)
    }

    /// Puts an object with these fields.
    func put(
        _ key: ObjectKey, _ bytes: [UInt8], _ digest: ContentDigest, _ fields: [(name: String, value: String)]
    ) throws(ObjectStorageError) {
        let request = ObjectRequest(
            "PUT", key, fields: fields, body: bytes, digest: digest, operation: "put \(key)")
        do throws(ObjectStorageError) { _ = try perform(request) { _ in } } catch {
            // An attempt whose answer did not come may have put it.
            guard error.code == .exists, try isThere(key, Int64(bytes.count), digest) else { throw error }
        }
    }

    static func checksum(_ digest: ContentDigest) -> (name: String, value: String) {
        ("x-amz-checksum-sha256", Base64.paddedText(digest.bytes))
    }

    func isThere(
        _ key: ObjectKey, _ size: Int64, _ digest: ContentDigest
    ) throws(ObjectStorageError) -> Bool {
        try facts(of: key) == ObjectFacts(size: size, digest: digest)
    }

    /// Reads a whole object of at most 64 MiB, and compares it with the digest with which it was put. Throws `missing`.
    package func get(_ key: ObjectKey) throws(ObjectStorageError) -> [UInt8] {
        let operation = "get \(key)"
        let request = ObjectRequest("GET", key, operation: operation)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            if let digest = Self.digest(answer), ContentDigest(SHA256.hash(data: answer.body)) != digest {
                throw ObjectStorageError(.damaged, operation, "its bytes are not those that were put")
            }
            return answer.body
        }.value
    }

    /// Reads a part of an object; fewer bytes than were asked for only at its end. A store that gives the whole object
    /// instead is taken at its word.
    ///
    /// Throws `missing`, `outOfRange` where the object ends before the range begins, and `damaged` where the store
    /// gives another part.
    ///
    /// - Parameter range: not empty.
    package func get(_ key: ObjectKey, _ range: Range<Int64>) throws(ObjectStorageError) -> ObjectPart {
        let operation = "get \(range.lowerBound)-\(range.upperBound - 1) of \(key)"
        let bytes = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        let request = ObjectRequest("GET", key, fields: [("Range", bytes)], operation: operation)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            guard answer.status == Self.partial else {
                return try Self.part(range, ofWhole: answer.body, operation)
            }
            guard let field = answer.fields["content-range"], let (given, size) = Self.contentRange(field) else {
                throw ObjectStorageError(.damaged, operation, "the store does not say which bytes it gives")
            }
            guard given == range.clamped(to: 0..<size), answer.body.count == given.count else {
                throw ObjectStorageError(
                    .damaged, operation, "the store gives \(answer.body.count) bytes of \(field.label)")
            }
            return ObjectPart(bytes: answer.body, range: given, size: size)
        }.value
    }

    static let partial = 206

    private static func part(
        _ range: Range<Int64>, ofWhole bytes: [UInt8], _ operation: String
    ) throws(ObjectStorageError) -> ObjectPart {
        let given = range.clamped(to: 0..<Int64(bytes.count))
        guard !given.isEmpty else {
            throw ObjectStorageError(.outOfRange, operation, "it has \(bytes.count) bytes")
        }
        return ObjectPart(
            bytes: Array(bytes[Int(given.lowerBound)..<Int(given.upperBound)]), range: given, size: Int64(bytes.count))
    }

    /// Reads `bytes 0-99/1000` (RFC 9110 §14.4); nil for any other text.
    static func contentRange(_ text: String) -> (range: Range<Int64>, size: Int64)? {
        guard text.hasPrefix("bytes ") else { return nil }
        let halves = text.dropFirst("bytes ".count).split(separator: "/", omittingEmptySubsequences: false)
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard halves.count == 2, ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]),
            let size = Int64(halves[1]), first >= 0, last >= first, last < size
        else { return nil }
        return (first..<(last + 1), size)
    }

    /// The size of an object, and the digest with which it was put. Throws `missing`.
    package func facts(of key: ObjectKey) throws(ObjectStorageError) -> ObjectFacts {
        let operation = "look at \(key)"
        let request = ObjectRequest("HEAD", key, operation: operation)
        return try perform(request) { (answer) throws(ObjectStorageError) in
            guard let size = answer.fields["content-length"].flatMap({ Int64($0) }), size >= 0 else {
                throw ObjectStorageError(.unreadable, operation, "the store does not say how long it is")
            }
            return ObjectFacts(size: size, digest: Self.digest(answer))
        }.value
    }

    private static func digest(_ answer: WebAnswer) -> ContentDigest? {
        answer.fields[digestField].flatMap(ContentDigest.init(hex:))
    }

    /// Deletes an object. Nothing happens where there is none.
    package func delete(_ key: ObjectKey) throws(ObjectStorageError) {
        let request = ObjectRequest("DELETE", key, operation: "delete \(key)")
        do throws(ObjectStorageError) { _ = try perform(request) { _ in } } catch {
            guard error.code == .missing else { throw error }
        }
    }
}
