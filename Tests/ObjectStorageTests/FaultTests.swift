import FundCore
import MailConnection
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

/// Stores and lines that fail.
@Suite(.startsPrograms) struct FaultTests {
    private static let key = ObjectKey(validating: "v1/a/seg/1-abc")
    private static let bytes = randomBytes(100_000, seed: 3)
    private static let slowDown = "<Error><Code>SlowDown</Code><Message>Please</Message></Error>"
    private static let failed = "<Error><Code>InternalError</Code><Message>Sorry</Message></Error>"

    private let harness: StoreHarness
    private let proxy: FaultyHTTPProxy

    init() throws {
        harness = try StoreHarness()
        proxy = try FaultyHTTPProxy(to: harness.server.port)
    }

    private func bucket(_ change: (inout RequestPatience) -> Void = { _ in }) throws -> Bucket {
        try harness.bucket(port: proxy.port, abilities: StoreHarness.all, change)
    }

    @Test func aBusyStoreIsAskedAgainWhenItSays() throws {
        proxy.arrange(.answer(503, fields: "Retry-After: 9\r\n", body: Self.slowDown), for: "PUT", times: 2)
        proxy.arrange(.answer(500, body: Self.failed), for: "PUT")
        try bucket { $0.attempts = 4 }.put(Self.bytes, at: Self.key)
        let pauses = harness.pauses.all.map(\.seconds)
        #expect(pauses.count == 3 && pauses[0] >= 9 && pauses[1] >= 9 && pauses[2] < 5, "\(pauses)")
        #expect(try harness.bucket().get(Self.key) == Self.bytes)
    }

    @Test func attemptsEnd() throws {
        proxy.arrange(.answer(500, body: Self.failed), for: "GET", times: 10)
        let error = #expect(throws: ObjectStorageError.self) { try bucket { $0.attempts = 3 }.get(Self.key) }
        #expect(error?.code == .serverFailed && proxy.requests.count == 3)
    }

    @Test func aPauseThatIsTooLongEndsThem() throws {
        proxy.arrange(.answer(503, fields: "Retry-After: 500\r\n"), for: "GET")
        let error = #expect(throws: ObjectStorageError.self) { try bucket().get(Self.key) }
        #expect(error?.code == .throttled && error?.retryAfter == .seconds(500) && proxy.requests.count == 1)
    }

    @Test func aPutWhoseAnswerIsLostIsDone() throws {
        proxy.arrange(.cut(0), for: "PUT")
        try bucket().put(Self.bytes, at: Self.key)
        #expect(proxy.requests.map { $0.prefix(4) } == ["PUT ", "PUT ", "HEAD"])
        #expect(try harness.bucket().get(Self.key) == Self.bytes)
    }

    @Test(arguments: [0, 30, 400, 50_000])
    func aCutAnswerIsAskedForAgain(_ count: Int) throws {
        try harness.bucket().put(Self.bytes, at: Self.key)
        proxy.arrange(.cut(count), for: "GET")
        #expect(try bucket().get(Self.key) == Self.bytes)
        #expect(proxy.requests.count == 2)
    }

    @Test func anotherRangeIsNotTaken() throws {
        try harness.bucket().put(Self.bytes, at: Self.key)
        proxy.arrange(.head { $0.replacing("bytes 10-19", with: "bytes 11-20") }, for: "GET")
        #expect(try bucket().get(Self.key, 10..<20).bytes == Array(Self.bytes[10..<20]))
        #expect(proxy.requests.count == 2)
        proxy.arrange(.head { $0.replacing("bytes 10-19", with: "bytes 11-20") }, for: "GET", times: 9)
        let error = #expect(throws: ObjectStorageError.self) { try bucket { $0.attempts = 2 }.get(Self.key, 10..<20) }
        #expect(error?.code == .damaged)
    }

    @Test func otherBytesAreNotTaken() throws {
        try harness.bucket().put(Self.bytes, at: Self.key)
        let wrong = String(repeating: "0", count: 64)
        let digest = ContentDigest.of(Self.bytes).hex
        proxy.arrange(.head { $0.replacing(digest, with: wrong) }, for: "GET", times: 2)
        let error = #expect(throws: ObjectStorageError.self) { try bucket { $0.attempts = 2 }.get(Self.key) }
        #expect(error?.code == .damaged)
    }

    @Test func aCompletionThatFailsWithSuccessIsTriedAgain() throws {
        let bucket = try bucket()
        let upload = try bucket.createUpload(at: Self.key)
        let part = try bucket.putPart(1, Self.bytes, of: upload)
        proxy.arrange(.answer(200, body: Self.failed), for: "POST")
        try bucket.complete(upload, [part])
        #expect(try bucket.get(Self.key) == Self.bytes)
    }

    @Test func aCompletionThatOnlySeemsToFailIsDone() throws {
        let bucket = try bucket()
        let upload = try bucket.createUpload(at: Self.key)
        let part = try bucket.putPart(1, Self.bytes, of: upload)
        proxy.arrange(.answerAfterwards(200, body: Self.failed), for: "POST")
        try bucket.complete(upload, [part])
        #expect(try bucket.get(Self.key) == Self.bytes)
    }

    @Test func anyFailureEndsAListing() throws {
        for number in 1...3 { try harness.bucket().put([0], at: ObjectKey(validating: "v1/\(number)")) }
        proxy.arrange(.answer(403), for: "continuation-token")
        var pages = 0
        #expect(throws: ObjectStorageError.self) {
            try bucket().list("v1/", pageObjects: 1) { _ in pages += 1 }
        }
        #expect(pages == 1)
        proxy.arrange(.answer(200, body: "<ListBucketResult></ListBucketResult>"), for: "list-type")
        let error = #expect(throws: ObjectStorageError.self) { try bucket().names("v1/") }
        #expect(error?.code == .unreadable)
    }

    @Test func silenceEnds() throws {
        proxy.arrange(.silence, for: "GET")
        let begin = ContinuousClock.now
        let error = #expect(throws: ObjectStorageError.self) {
            try bucket {
                $0.whole = .milliseconds(300)
                $0.attempts = 1
            }.get(Self.key)
        }
        #expect(error?.code == .timedOut && ContinuousClock.now - begin < .seconds(60))
    }

    /// The other machine vanished while a connection waited for its next request.
    @Test func aDeadConnectionIsReplaced() throws {
        let line = try FailingLine(to: harness.server.port)
        defer { line.stop() }
        let bucket = try harness.bucket(port: line.port) { $0.stall = .seconds(1) }
        harness.pauses.action.withLock { $0 = { line.beSilent(false) } }
        try bucket.put(Self.bytes, at: Self.key)
        line.beSilent(true)
        #expect(try bucket.get(Self.key) == Self.bytes)
        #expect(!harness.pauses.all.isEmpty)
    }

    @Test func certificatesAreLookedAt() throws {
        let authority = try TestAuthority.shared.get()
        let server = try ObjectStoreServer(.swift, .valid)
        defer { server.stop() }
        func bucket(_ environment: [String: String]) throws -> Bucket {
            let address = "s3://papers?endpoint=https://localhost:\(server.port)"
            return try Bucket(
                BucketAddress(address, environment: environment),
                keys: AccessKeySource(environment: ObjectStoreServer.environment), cancellation: Cancellation())
        }
        let trusting = try bucket(["AWS_CA_BUNDLE": authority.caFile])
        try trusting.make()
        try trusting.put(Self.bytes, at: Self.key)
        #expect(try trusting.get(Self.key, 10..<20).bytes == Array(Self.bytes[10..<20]))
        let error = #expect(throws: ObjectStorageError.self) { try bucket([:]).get(Self.key) }
        #expect(error?.code == .untrusted, "\(error as Any)")
    }

    @Test func aServerThatIsGoneIsUnreachable() throws {
        let bucket = try bucket { $0.attempts = 2 }
        proxy.stop()
        let error = #expect(throws: ObjectStorageError.self) { try bucket.get(Self.key) }
        #expect([.unreachable, .lost].contains(error?.code) && harness.pauses.all.count == 1)
    }

    @Test func aRedirectTellsItsRegion() throws {
        proxy.arrange(.answer(301, fields: "x-amz-bucket-region: eu-west-3\r\n"), for: "GET")
        let error = #expect(throws: ObjectStorageError.self) { try bucket().get(Self.key) }
        #expect(error?.code == .elsewhere && error?.region == "eu-west-3" && proxy.requests.count == 1)
    }
}
