internal import FundCore
internal import MailConnection

/// Finds out what a store does and what it only accepts, with a few small objects that are gone afterwards. Stores that
/// call themselves S3-compatible differ in all of these.
package struct StoreProbe {
    private let bucket: Bucket
    /// For requests that may well fail.
    private let attempt: Bucket
    private let key: ObjectKey
    private let bytes: [UInt8]
    private let digest: ContentDigest

    private static let (nameBytes, byteCount) = (8, 1000)

    /// Throws `noKey`.
    package init(_ bucket: Bucket) throws(ObjectStorageError) {
        key = ObjectKey(validating: "v1/probe/\(Hex.text(RandomBytes.make(Self.nameBytes)))")
        (self.bucket, attempt) = (bucket, try bucket.forOneAttempt())
        bytes = RandomBytes.make(Self.byteCount)
        digest = .of(bytes)
    }

    /// Probes the store. Throws what a plain put, get or delete throws: then the store cannot be used.
    package func run() throws(ObjectStorageError) -> StoreAbilities {
        do throws(ObjectStorageError) {
            let abilities = try find()
            try bucket.delete(key)
            try requireGone()
            return abilities
        } catch {
            try? bucket.delete(key)
            throw error
        }
    }

    private func find() throws(ObjectStorageError) -> StoreAbilities {
        var abilities = StoreAbilities()
        try bucket.put(key, bytes, digest, [Bucket.binary])
        guard try bucket.get(key) == bytes else {
            throw ObjectStorageError(.damaged, "be used", "it gives other bytes than were put")
        }
        abilities.listsAtOnce = try isListed()
        abilities.hasRanges = try hasRanges()
        abilities.checksSignatures = try refuses([.refused]) { () throws(ObjectStorageError) in
            let other = SigningKey(id: bucket.key.id, secret: "wrong-\(bucket.key.secret.utf8.count)")
            _ = try bucket.forOneAttempt(key: other).facts(of: key)
        }
        abilities.checksPayloads = try refuses([.damaged, .refused]) { () throws(ObjectStorageError) in
            try attempt.put(key, bytes, .of(bytes.dropFirst()), [Bucket.binary])
        }
        abilities.hasChecksums = try hasChecksums()
        abilities.hasMultipart = try hasMultipart()
        abilities.hasConditionalPut = try hasConditionalPut()
        return abilities
    }

    /// Whether an attempt fails for one of these reasons. Throws for any other.
    private func refuses(
        _ codes: Set<ObjectStorageError.Code>, _ attempt: () throws(ObjectStorageError) -> Void
    ) throws(ObjectStorageError) -> Bool {
        do throws(ObjectStorageError) { try attempt() } catch {
            guard codes.contains(error.code) else { throw error }
            return true
        }
        return false
    }

    private func isListed() throws(ObjectStorageError) -> Bool {
        var names: [String] = []
        do { try bucket.list(key.text) { names += $0.map(\.name) } } catch let error as ObjectStorageError {
            throw error
        } catch {
            throw ObjectStorageError(.other, "list objects", "\(error)")
        }
        return names == [key.text]
    }

    private func hasRanges() throws(ObjectStorageError) -> Bool {
        let range: Range<Int64> = 100..<200
        let request = ObjectRequest("GET", key, fields: [("Range", "bytes=100-199")], operation: "get a part of \(key)")
        let answer = try bucket.perform(request) { $0 }.value
        guard answer.status == Bucket.partial, let field = answer.fields["content-range"],
            let (given, size) = Bucket.contentRange(field)
        else { return false }
        return given == range && size == Int64(bytes.count)
            && answer.body.elementsEqual(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    private func hasChecksums() throws(ObjectStorageError) -> Bool {
        let no: Set<ObjectStorageError.Code> = [.damaged, .refused, .unsupported]
        let wrong = Bucket.checksum(.of(bytes.dropFirst()))
        let refusesWrong = try refuses(no) { () throws(ObjectStorageError) in
            try attempt.put(key, bytes, digest, [Bucket.binary, wrong])
        }
        guard refusesWrong else { return false }
        let right = Bucket.checksum(digest)
        return try !refuses(no) { () throws(ObjectStorageError) in
            try attempt.put(key, bytes, digest, [Bucket.binary, right])
        }
    }

    private func hasMultipart() throws(ObjectStorageError) -> Bool {
        var upload: MultipartUpload?
        let isRefused = try refuses([.unsupported, .refused, .unreadable]) { () throws(ObjectStorageError) in
            let begun = try attempt.createUpload(at: key)
            upload = begun
            let part = try bucket.putPart(1, bytes, of: begun)
            guard try bucket.parts(of: begun).map(\.number) == [part.number] else {
                throw ObjectStorageError(.unsupported, "put in parts", "it does not list the parts")
            }
        }
        if let upload { try bucket.abort(upload) }
        return !isRefused
    }

    /// Whether the store keeps an object that another put would replace, and keeps it whole.
    private func hasConditionalPut() throws(ObjectStorageError) -> Bool {
        let others = bytes.reversed() as [UInt8]
        let isRefused = try refuses([.exists, .unsupported, .refused]) { () throws(ObjectStorageError) in
            let request = ObjectRequest(
                "PUT", key, fields: [Bucket.binary, ("If-None-Match", "*")], body: others, operation: "put \(key)")
            _ = try attempt.perform(request) { _ in }
        }
        guard isRefused, try bucket.get(key) == bytes else { return false }
        let other = ObjectKey(validating: "\(key)-new")
        // A store that refuses every such put is of no use, either.
        defer { try? bucket.delete(other) }
        return try !refuses([.exists, .unsupported, .refused]) { () throws(ObjectStorageError) in
            try attempt.put(other, bytes, digest, [Bucket.binary, ("If-None-Match", "*")])
        }
    }

    private func requireGone() throws(ObjectStorageError) {
        do throws(ObjectStorageError) { _ = try bucket.facts(of: key) } catch {
            guard error.code == .missing else { throw error }
            return
        }
        throw ObjectStorageError(.unsupported, "be used", "an object is still there after it was deleted")
    }
}
