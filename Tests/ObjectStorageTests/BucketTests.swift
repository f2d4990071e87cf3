import FundCore
import MailConnection
import TestSupport
import Testing

@testable import ObjectStorage

/// Objects in OpenStack Swift.
@Suite(.startsPrograms) struct BucketTests {
    private static let key = ObjectKey(validating: "v1/a/seg/1-abc")

    @Test func objectsComeBackAsTheyWerePut() throws {
        let bucket = try StoreHarness().bucket(abilities: StoreHarness.all)
        let bytes = randomBytes(2_000_000, seed: 1)
        try bucket.put(bytes, at: Self.key)
        #expect(try bucket.get(Self.key) == bytes)
        #expect(try bucket.facts(of: Self.key) == ObjectFacts(size: 2_000_000, digest: .of(bytes)))
        let part = try bucket.get(Self.key, 1_999_000..<2_001_000)
        #expect(part == ObjectPart(bytes: Array(bytes[1_999_000...]), range: 1_999_000..<2_000_000, size: 2_000_000))
        #expect(throws: ObjectStorageError.self) { try bucket.get(Self.key, 2_000_000..<2_000_001) }
        try bucket.delete(Self.key)
        try bucket.delete(Self.key)
        let gone = #expect(throws: ObjectStorageError.self) { try bucket.get(Self.key) }
        #expect(gone?.code == .missing)
    }

    @Test func anEmptyObjectIsOne() throws {
        let bucket = try StoreHarness().bucket()
        try bucket.put([], at: Self.key)
        #expect(try bucket.get(Self.key) == [])
        #expect(try bucket.facts(of: Self.key).size == 0)
    }

    @Test func anObjectIsNeverReplaced() throws {
        let bucket = try StoreHarness().bucket(abilities: StoreHarness.all)
        try bucket.put([1, 2, 3], at: Self.key)
        let error = #expect(throws: ObjectStorageError.self) { try bucket.put([4, 5, 6], at: Self.key) }
        #expect(error?.code == .exists)
        #expect(try bucket.get(Self.key) == [1, 2, 3])
        // A lost answer leaves the bytes that are put again.
        try bucket.put([1, 2, 3], at: Self.key)
    }

    @Test func listingsGoOnPageAfterPage() throws {
        let bucket = try StoreHarness().bucket()
        for number in 1...5 { try bucket.put([0], at: ObjectKey(validating: "v1/a/\(number)")) }
        try bucket.put([0], at: ObjectKey(validating: "v2/a"))
        #expect(try bucket.names("v1/", pageObjects: 2) == (1...5).map { "v1/a/\($0)" })
        #expect(try bucket.names("v1/", pageObjects: 5).count == 5)
        #expect(try bucket.names().count == 6)
        #expect(try bucket.names("v3/") == [])
    }

    @Test func partsMakeAnObject() throws {
        let harness = try StoreHarness()
        let bucket = try harness.bucket(abilities: StoreHarness.all)
        let bytes = randomBytes(300_000, seed: 2)
        let upload = try bucket.createUpload(at: Self.key)
        _ = try bucket.putPart(1, Array(bytes[..<100_000]), of: upload)
        // Another process goes on.
        let other = try harness.bucket(abilities: StoreHarness.all)
        _ = try other.putPart(2, Array(bytes[100_000..<200_000]), of: upload)
        _ = try other.putPart(3, Array(bytes[200_000...]), of: upload)
        let parts = try other.parts(of: upload)
        #expect(parts.map(\.number) == [1, 2, 3] && parts.map(\.size) == [100_000, 100_000, 100_000])
        try other.complete(upload, parts)
        #expect(try bucket.get(Self.key) == bytes)
        #expect(try bucket.get(Self.key, 99_990..<100_010).bytes == Array(bytes[99_990..<100_010]))
        // Once more, as after a lost answer.
        try bucket.complete(upload, parts)
    }

    @Test func anUploadCanBeGivenUp() throws {
        let bucket = try StoreHarness().bucket()
        let upload = try bucket.createUpload(at: Self.key)
        _ = try bucket.putPart(1, [1, 2, 3], of: upload)
        try bucket.abort(upload)
        try bucket.abort(upload)
        let error = #expect(throws: ObjectStorageError.self) { try bucket.parts(of: upload) }
        #expect(error?.code == .missing)
        #expect(try bucket.names() == [])
    }

    @Test func wrongKeysAreRefusedAndNotToldOf() throws {
        let harness = try StoreHarness()
        let key = SigningKey(id: ObjectStoreServer.keyID, secret: "canary-wrong")
        let error = #expect(throws: ObjectStorageError.self) { try harness.bucket(key: key).get(Self.key) }
        #expect(error?.code == .refused && error?.description.contains("canary") == false, "\(error as Any)")
    }

    @Test(.enabled(if: Faketime.isUsable)) func aClockThatIsWrongIsTold() throws {
        let server = try ObjectStoreServer(.swift, under: Faketime.shifted(byHours: 2))
        defer { server.stop() }
        let error = #expect(throws: ObjectStorageError.self) { try StoreHarness(on: server) }
        let skew = try #require(error?.skew)
        #expect(error?.code == .clockSkew && abs(skew.seconds - 7200) < 60, "\(error as Any)")
    }

    @Test func aBucketIsMadeOnce() throws {
        let bucket = try StoreHarness().bucket()
        try bucket.make()
        #expect(try bucket.names() == [])
    }

    @Test func aMissingBucketIsTold() throws {
        let server = try ObjectStoreServer.shared.get()
        let address = try BucketAddress("s3://nothing?endpoint=http://127.0.0.1:\(server.port)", environment: [:])
        let bucket = try Bucket(
            address, keys: AccessKeySource(environment: ObjectStoreServer.environment), cancellation: Cancellation())
        let error = #expect(throws: ObjectStorageError.self) { try bucket.names() }
        #expect(error?.code == .noBucket)
    }

    @Test func aKeyThatIsReplacedInItsFileIsTaken() throws {
        let harness = try StoreHarness()
        let folder = try TestFile.makeFolder("keys")
        defer { try? DiskDirectory.removeTree(folder) }
        func write(_ secret: String) throws {
            let id = ObjectStoreServer.keyID
            try TestFile.write(
                "[default]\naws_access_key_id=\(id)\naws_secret_access_key=\(secret)\n", to: "\(folder)/keys")
        }
        try write("ended")
        let bucket = try Bucket(
            harness.bucket().address,
            keys: AccessKeySource(environment: ["AWS_SHARED_CREDENTIALS_FILE": "\(folder)/keys"]),
            cancellation: Cancellation())
        #expect(throws: ObjectStorageError.self) { try bucket.put([1], at: Self.key) }
        try write(ObjectStoreServer.secret)
        try bucket.put([1], at: Self.key)
        #expect(try bucket.get(Self.key) == [1])
    }
}
