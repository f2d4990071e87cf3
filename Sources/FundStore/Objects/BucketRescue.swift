internal import FundCore
internal import Glibc
internal import ObjectStorage

/// Fetches what a bucket has of stores whose folder is lost, as files.
package enum BucketRescue {
    /// The segments of one store.
    package struct Found: Hashable, Sendable {
        package var path: String
        package var segments: Int
    }

    private static let root = "v1/"
    private static let segments = "seg"

    private struct Listed {
        var key: ObjectKey
        var object: SegmentObject
        var bytes: Int64
        var time: Timestamp
    }

    /// Fetches the latest object of each segment into a folder for each store; and others of the same number where they
    /// are of another segment, as of a copy of the store that went another way. What is there from before is not
    /// fetched again. Throws `invalid`, `unreachable`, `outOfSpace`, `io`.
    ///
    /// - Parameters:
    ///   - address: as that of `BucketJoining`.
    ///   - folder: is made if it is not there.
    package static func run(
        _ address: String, environment: [String: String], to folder: String, shouldStop: () -> Bool,
        onProgress: (_ done: Int, _ all: Int) -> Void
    ) throws -> [Found] {
        try StoreError.wrapping("fetch segments") {
            let bucket: Bucket
            do throws(ObjectStorageError) {
                bucket = try Bucket(
                    BucketAddress(address, environment: environment), keys: AccessKeySource(environment: environment))
            } catch { throw StoreError(error, "use the bucket") }
            var stores: [String: [Listed]] = [:]
            do {
                try bucket.list(root) { page in
                    for listed in page { note(listed, in: &stores) }
                }
            } catch let error as ObjectStorageError { throw StoreError(error, "list segments") }
            let all = stores.values.reduce(0) { $0 + $1.count }
            var (done, found): (Int, [Found]) = (0, [])
            for (store, listed) in stores.sorted(by: { $0.key < $1.key }) {
                let path = "\(folder)/\(store)"
                try DiskDirectory.makeAll(upTo: path, isPrivate: true)
                var salts: [SegmentNumber: Set<UInt64>] = [:]
                var count = 0
                for one in listed.sorted(by: { $0.time > $1.time }) where !shouldStop() {
                    if try fetch(one, from: bucket, to: path, &salts) { count += 1 }
                    done += 1
                    onProgress(done, all)
                }
                found.append(Found(path: path, segments: count))
            }
            return found
        }
    }

    /// Objects of other names are not a store's.
    private static func note(_ listed: ListedObject, in stores: inout [String: [Listed]]) {
        let parts = listed.name.split(separator: "/")
        guard parts.count == 4, parts[2] == segments, let object = SegmentObject(parts[3]),
            let key = ObjectKey(listed.name)
        else { return }
        let store = String(parts[1])
        stores[store, default: []].append(Listed(key: key, object: object, bytes: listed.size, time: listed.time))
    }

    /// False for another state of a segment that is there.
    private static func fetch(
        _ listed: Listed, from bucket: Bucket, to folder: String, _ salts: inout [SegmentNumber: Set<UInt64>]
    ) throws -> Bool {
        let number = listed.object.number
        var opening: [UInt8] = []
        if listed.bytes >= LogFormat.openingBytes {
            try bucket.readAll(listed.key, upTo: Int64(LogFormat.openingBytes), of: listed.bytes) { opening += $0 }
        }
        // One whose opening has changed is of no segment that is known.
        let salt = SegmentFile.read(opening: opening)?.salt ?? listed.object.nonce
        let isFirst = salts[number] == nil
        guard salts[number, default: []].insert(salt).inserted else { return false }
        let path = "\(folder)/\(number.fileName)" + (isFirst ? "" : ".\(listed.object.nonce)")
        if DiskFile.size(of: path) == listed.bytes { return true }
        let draft = "\(path).part"
        unlink(draft)
        try DiskFile.write(draft) { append in
            try bucket.readAll(listed.key, upTo: listed.bytes, of: listed.bytes) { try $0.withUnsafeBytes(append) }
        }
        try DiskFile.rename(draft, to: path)
        try DiskFile.syncNames(in: folder)
        return true
    }
}
