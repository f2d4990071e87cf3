internal import FundCore
internal import ObjectStorage

/// Segments on their way to objects.
extension ObjectSegments {
    /// A way of an upload in parts: another process, or this one after a failure, goes on with it.
    struct Progress {
        /// The upload that an earlier attempt began; nil for none.
        var begun: MultipartUpload?
        /// Notes an upload that begins, before its first part.
        var note: (MultipartUpload) throws -> Void

        init(begun: MultipartUpload? = nil, note: @escaping (MultipartUpload) throws -> Void = { _ in }) {
            (self.begun, self.note) = (begun, note)
        }
    }

    /// Puts all bytes of a sealed segment. When it returns they are in the store, and are those of the segment: a store
    /// that does not compare them by itself is asked for them again. Rows may name them from then on.
    ///
    /// - Parameters:
    ///   - object: a name that no other attempt has, except one with which `progress` goes on.
    func put(_ segment: any SegmentReader, as object: SegmentObject, _ progress: Progress = Progress()) throws {
        let (key, size) = (key(of: object), try segment.size())
        do {
            let isCompared: Bool
            if size <= wholeBytes {
                try bucket.put(try Self.bytes(0..<size, of: segment), at: key)
                isCompared = bucket.abilities.checksPayloads || bucket.abilities.hasChecksums
            } else {
                try putInParts(segment, size, at: key, progress)
                isCompared = bucket.abilities.checksPayloads
            }
            // Parts of an earlier attempt are of the segment as it was then.
            guard try isCompared && progress.begun == nil || isSame(segment, size, at: key) else {
                throw StoreError(.io, "put a segment", "the store has other bytes of \(key) than were put")
            }
        } catch let error as ObjectStorageError { throw StoreError(error, "put a segment") }
    }

    private static func bytes(_ range: Range<Int64>, of segment: any SegmentReader) throws -> [UInt8] {
        let bytes = try segment.bytes(range.count, at: range.lowerBound)
        guard bytes.count == range.count else { throw LogDamage(.cutOff, segment.number, range.lowerBound) }
        return bytes
    }

    private func putInParts(
        _ segment: any SegmentReader, _ size: Int64, at key: ObjectKey, _ progress: Progress
    ) throws {
        var (begun, done): (MultipartUpload?, [Int: UploadedPart]) = (progress.begun, [:])
        if let upload = begun {
            do throws(ObjectStorageError) {
                done = Dictionary(try bucket.parts(of: upload).map { ($0.number, $0) }) { $1 }
            } catch {
                guard error.code == .missing else { throw error }
                // The attempt before had completed it, or it was aborted.
                if try isThere(key, size) { return }
                begun = nil
            }
        }
        let upload: MultipartUpload
        if let begun {
            upload = begun
        } else {
            upload = try bucket.createUpload(at: key)
            try progress.note(upload)
        }
        let partBytes = max(self.partBytes, (size + Int64(Bucket.maxParts) - 1) / Int64(Bucket.maxParts))
        var parts: [UploadedPart] = []
        for start in stride(from: 0, to: size, by: Int(partBytes)) {
            let (number, range) = (parts.count + 1, start..<min(start + partBytes, size))
            if let part = done[number], part.size == range.count {
                parts.append(part)
            } else {
                parts.append(try bucket.putPart(number, Self.bytes(range, of: segment), of: upload))
            }
        }
        try bucket.complete(upload, parts)
    }

    private func isThere(_ key: ObjectKey, _ size: Int64) throws(ObjectStorageError) -> Bool {
        do throws(ObjectStorageError) { return try bucket.facts(of: key).size == size } catch {
            guard error.code == .missing else { throw error }
            return false
        }
    }

    /// Compares the object with the segment.
    func isSame(_ segment: any SegmentReader, _ size: Int64, at key: ObjectKey) throws -> Bool {
        for start in stride(from: 0, to: size, by: Int(partBytes)) {
            let range = start..<min(start + partBytes, size)
            let part = try bucket.get(key, range)
            guard part.size == size, try part.bytes == Self.bytes(range, of: segment) else { return false }
        }
        return true
    }
}
