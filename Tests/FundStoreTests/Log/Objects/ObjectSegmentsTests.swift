import FundCore
import MailConnection
import ObjectStorage
import Synchronization
import TestSupport
import Testing

@testable import FundStore

/// Segments as objects in OpenStack Swift.
@Suite(.startsPrograms) struct ObjectSegmentsTests {
    /// The rows that a database would have, and the folder of the caches, which goes with them.
    private final class Rows: Sendable {
        let known = Mutex<[SegmentNumber: ObjectSegments.Known]>([:])
        let folder: String

        init() throws { folder = try TestFile.makeFolder("cached-segments") }

        deinit { try? DiskDirectory.removeTree(folder) }
    }

    private let log: LogHarness
    private let proxy: FaultyHTTPProxy
    private let bucket: Bucket
    private let rows: Rows
    private let segments: ObjectSegments

    private static let store = ContentDigest.of("store".utf8)

    init() throws {
        log = try LogHarness()
        proxy = try FaultyHTTPProxy(to: ObjectStoreServer.shared.get().port)
        let name = DiskDirectory.uniqueName(prefix: "log").prefix(bytes: 50)
        var (patience, abilities) = (RequestPatience(), StoreAbilities())
        patience.attempts = 1
        (abilities.hasConditionalPut, abilities.checksPayloads) = (true, true)
        bucket = try Bucket(
            BucketAddress("s3://\(name)/mail?endpoint=http://127.0.0.1:\(proxy.port)", environment: [:]),
            keys: AccessKeySource(environment: ObjectStoreServer.environment), abilities: abilities,
            patience: patience, cancellation: Cancellation())
        try bucket.make()
        let rows = try Rows()
        self.rows = rows
        segments = ObjectSegments(
            in: bucket, cache: try BlockCache("\(rows.folder)/blocks", maxBytes: 1 << 30), store: Self.store
        ) { number in rows.known.withLock { $0[number] } }
    }

    /// Puts each segment of the local log, and notes its row.
    private func putAll(salts: Bool = true) throws {
        for number in try log.directory.segments() {
            let (file, object) = (try log.directory.read(number), SegmentObject(number))
            try segments.put(file, as: object)
            rows.known.withLock { $0[number] = .init(object: object, salt: salts ? file.salt : nil) }
        }
    }

    private func content(
        at location: RecordLocation, of digest: ContentDigest, _ locations: [ContentDigest: RecordLocation] = [:]
    ) throws -> [UInt8] {
        let reader = LogReader(segments)
        var content: [UInt8] = []
        try reader.record(at: location, of: digest).content(
            nil, { digest in try locations[digest].map { try reader.record(at: $0, of: digest) } }, { content += $0 })
        return content
    }

    @Test(arguments: [true, false]) func recordsComeBack(salts: Bool) throws {
        let writer = log.writer(segmentBytes: 1 << 20)
        let contents = (1...20).map { randomBytes(100_000 + $0, seed: UInt64($0)) }
        let locations = try contents.map { try log.append($0, to: writer) }
        let text = Array("Dear Ann,\n".utf8) + contents[0] + Array("\nregards".utf8)
        let message = try #require(try log.append(message: text, repeating: [contents[0]], to: writer))
        writer.settle()
        log.letGo()
        try putAll(salts: salts)
        for (content, location) in zip(contents, locations) {
            #expect(try self.content(at: location, of: .of(content)) == content)
        }
        #expect(try content(at: message, of: .of(text), [.of(contents[0]): locations[0]]) == text)
        #expect(try segments.segments() == log.directory.segments())
        var count = 0
        for number in try segments.segments() {
            var scan = try LogScan(number, in: segments)
            try scan.forEachRecord { record, _ in
                let isWhole = try record.isWhole()
                #expect(isWhole)
                count += 1
            }
        }
        #expect(count == 21)
    }

    @Test func aThousandMailsTakeFewRequests() throws {
        let writer = log.writer(segmentBytes: 8 << 20)
        let contents = (1...1000).map { randomBytes(2000, seed: UInt64($0)) }
        let locations = try contents.map { try log.append($0, to: writer, isWritten: false) }
        writer.settle()
        log.letGo()
        let before = proxy.requests.count
        try putAll()
        #expect(proxy.requests.count - before == 1)
        let reader = LogReader(segments)
        for (content, location) in zip(contents, locations) {
            var read: [UInt8] = []
            try reader.record(at: location, of: .of(content)).content(nil, { _ in nil }, { read += $0 })
            #expect(read == content)
        }
        // 2 MB in order: at most one request a megabyte, and that for the first blocks.
        #expect(proxy.requests.count - before <= 5, "\(proxy.requests)")
        let after = proxy.requests.count
        #expect(try content(at: locations[500], of: .of(contents[500])) == contents[500])
        #expect(proxy.requests.count == after)
    }

    @Test func whatWasReadIsReadWithoutTheStore() throws {
        let writer = log.writer(segmentBytes: 1 << 20)
        let contents = (1...20).map { randomBytes(100_000, seed: UInt64($0)) }
        let locations = try contents.map { try log.append($0, to: writer) }
        log.letGo()
        try putAll()
        #expect(try content(at: locations[0], of: .of(contents[0])) == contents[0])
        proxy.stop()
        #expect(try content(at: locations[0], of: .of(contents[0])) == contents[0])
        let error = #expect(throws: StoreError.self) { try content(at: locations[19], of: .of(contents[19])) }
        #expect(error?.code == .unreachable && error?.isTemporary == true)
        #expect(throws: StoreError.self) { try segments.segments() }
    }

    @Test func objectsThatNoRowKnowsAreNoSegments() throws {
        let location = try log.append([1, 2, 3], to: log.writer())
        log.letGo()
        try putAll()
        let file = try log.directory.read(location.segment)
        let orphan = SegmentObject(location.segment)
        try segments.put(file, as: orphan)
        #expect(try segments.segments() == [location.segment])
        let objects = try segments.objects()
        #expect(objects.contains(orphan) && objects.count == 2)
        let size = try file.size()
        #expect(segments.storedBytes(of: location.segment) == size)
    }

    @Test func aSegmentThatIsMissingIsTold() throws {
        let location = try log.append([1, 2, 3], to: log.writer())
        log.letGo()
        try putAll()
        let digest = ContentDigest.of([1, 2, 3])
        try #require(try segments.hold(location.segment, for: .removal)).remove()
        #expect(throws: StoreError.self) { try content(at: location, of: digest) }
        try segments.make()
        let damage = #expect(throws: LogDamage.self) { try content(at: location, of: digest) }
        #expect(damage?.kind == .missingSegment)
        #expect(try segments.segments() == [])
    }

    @Test func theLogIsKnownByItsMark() throws {
        let error = #expect(throws: StoreError.self) { try segments.requireInPlace() }
        #expect(error?.code == .logLost)
        try segments.make()
        try segments.make()
        try segments.requireInPlace()
    }

    @Test func anUploadInPartsGoesOn() throws {
        var segments = segments
        (segments.wholeBytes, segments.partBytes) = (1 << 20, 1 << 20)
        let content = randomBytes(4_500_000, seed: 9)
        let location = try log.append(content, to: log.writer(segmentBytes: 8 << 20))
        log.letGo()
        let (file, object) = (try log.directory.read(location.segment), SegmentObject(location.segment))
        proxy.arrange(.answer(503), for: "partNumber=3")
        var begun: MultipartUpload?
        #expect(throws: StoreError.self) { try segments.put(file, as: object, .init { begun = $0 }) }
        let before = proxy.requests.count
        try segments.put(file, as: object, .init(begun: begun))
        let words = proxy.requests[before...].map { $0.split(separator: " ")[0] }
        // The list of parts, three parts, and the end; then all is compared: the first parts are of an earlier attempt.
        #expect(words.prefix(5) == ["GET", "PUT", "PUT", "PUT", "POST"], "\(proxy.requests[before...])")
        #expect(words.count > 5 && words.dropFirst(5).allSatisfy { $0 == "GET" })
        rows.known.withLock { $0[location.segment] = .init(object: object, salt: nil) }
        #expect(try self.content(at: location, of: .of(content)) == content)
        // Once more, when it is done.
        try segments.put(file, as: object, .init(begun: begun))
    }

    @Test func aStoreThatDoesNotCompareIsAskedForTheBytes() throws {
        let location = try log.append([1, 2, 3], to: log.writer())
        log.letGo()
        let careless = ObjectSegments(
            in: try bucket.with(StoreAbilities()), cache: try BlockCache("\(rows.folder)/more", maxBytes: 1 << 20),
            store: Self.store
        ) { _ in nil }
        let before = proxy.requests.count
        try careless.put(try log.directory.read(location.segment), as: SegmentObject(location.segment))
        #expect(proxy.requests.count - before == 2)
    }

    @Test(arguments: [
        "0000000012-00c0ffee00c0ffee", "0000000012-0000000000000000", "4294967295-ffffffffffffffff",
    ])
    func namesAreRead(_ name: String) { #expect(SegmentObject(name)?.description == name) }

    @Test(arguments: [
        "", "12-00c0ffee00c0ffee", "0000000000-00c0ffee00c0ffee", "0000000012-00C0FFEE00c0ffee", "0000000012-1",
        "0000000012", "0000000012-00c0ffee00c0ffee-1", "+000000012-00c0ffee00c0ffee",
    ])
    func otherNamesAreNone(_ name: String) { #expect(SegmentObject(name) == nil) }
}
