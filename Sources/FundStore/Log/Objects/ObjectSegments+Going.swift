internal import FundCore
internal import ObjectStorage

/// Objects that go, and who may say so.
extension ObjectSegments {
    /// Deletes an object, with an upload of it that was not completed. Nothing happens where it is gone.
    func remove(_ object: SegmentObject, upload: String?) throws {
        let key = key(of: object)
        do throws(ObjectStorageError) {
            if let upload { try bucket.abort(MultipartUpload(key: key, id: upload)) }
            try bucket.delete(key)
        } catch { throw StoreError(error, "remove a segment") }
    }

    /// Whether an object has the very bytes of the segment. False where there is none.
    func isSame(_ segment: any SegmentReader, as object: SegmentObject) throws -> Bool {
        do { return try isSame(segment, try segment.size(), at: key(of: object)) } catch let error
            as ObjectStorageError
        {
            guard ![.missing, .outOfRange].contains(error.code) else { return false }
            throw StoreError(error, "compare a segment")
        }
    }

    /// Reads all bytes of an object. Throws as `Bucket.readAll`.
    func read(_ object: SegmentObject, bytes size: Int64, _ consume: ([UInt8]) throws -> Void) throws {
        try bucket.readAll(key(of: object), upTo: size, of: size, consume)
    }

    /// The objects that the store has, with their bytes and when they were put.
    func listed() throws -> [(object: SegmentObject, bytes: Int64, time: Timestamp)] {
        let prefix = "\(folder)/seg/"
        var found: [(SegmentObject, Int64, Timestamp)] = []
        do {
            try bucket.list(prefix) { page in
                found += page.compactMap { listed in
                    SegmentObject(listed.name.dropFirst(prefix.count)).map { ($0, listed.size, listed.time) }
                }
            }
        } catch let error as ObjectStorageError { throw StoreError(error, "list segments") }
        return found
    }

    // MARK: Claims

    private var claims: String { "use/" }
    private func claimKey(of name: String) -> ObjectKey { ObjectKey(validating: "\(folder)/\(claims)\(name)") }

    /// Histories of the store that use the log, see `StoreHistory`: a copy that was restored has another one than the
    /// store that it was made of. Nothing may be deleted unless there is one, which is the store's own.
    func claimedHistories() throws -> [String] {
        let prefix = "\(folder)/\(claims)"
        var found: [String] = []
        do {
            try bucket.list(prefix) { page in found += page.map { String($0.name.dropFirst(prefix.count)) } }
        } catch let error as ObjectStorageError {
            throw StoreError(error, "look who uses the bucket")
        }
        return found
    }

    /// Says that a history of the store uses the log.
    func claim(_ history: String) throws {
        do throws(ObjectStorageError) { try bucket.put(Array(history.utf8), at: claimKey(of: history)) } catch {
            throw StoreError(error, "claim the bucket")
        }
    }

    /// Says that a history uses the log no more.
    func giveUpClaim(_ history: String) throws {
        guard let key = ObjectKey("\(folder)/\(claims)\(history)") else { return }
        do throws(ObjectStorageError) { try bucket.delete(key) } catch {
            throw StoreError(error, "give up a claim on the bucket")
        }
    }
}
