import FundCore
import MailConnection
import TestSupport
import Testing

@testable import ObjectStorage

/// Answers of stores, and what they mean.
struct AnswerTests {
    private static let key = SigningKey(id: "canary-id", secret: "canary-secret")
    /// 2026-12-01T05:00:00Z
    private static let now = Timestamp(1_796_101_200)

    private func failure(
        _ status: Int, _ name: String?, fields: [String: String] = [:], more: String = ""
    ) -> ObjectStorageError? {
        let body = name.map { "<Error><Code>\($0)</Code><Message>It \($0)</Message>\(more)</Error>" }
        let answer = WebAnswer(status: status, fields: fields, body: Array((body ?? "").utf8))
        return ObjectStorageError(answer, "get a", without: Self.key, at: Self.now)
    }

    @Test(
        arguments: [
            (403, "AccessDenied", .refused), (403, "SignatureDoesNotMatch", .refused), (403, nil, .refused),
            (403, "RequestTimeTooSkewed", .clockSkew), (404, "NoSuchKey", .missing), (404, "NoSuchBucket", .noBucket),
            (404, nil, .missing), (412, "PreconditionFailed", .exists),
            (409, "ConditionalRequestConflict", .serverFailed),
            (503, "SlowDown", .throttled), (503, nil, .throttled), (429, nil, .throttled),
            (500, "InternalError", .serverFailed), (502, nil, .serverFailed), (400, "BadDigest", .damaged),
            (400, "XAmzContentSHA256Mismatch", .damaged), (416, "InvalidRange", .outOfRange), (507, nil, .full),
            (403, "QuotaExceeded", .full), (400, "XMinioStorageFull", .full), (501, "NotImplemented", .unsupported),
            (400, "ExpiredToken", .refused), (400, "AuthorizationHeaderMalformed", .refused), (100, nil, .unreadable),
        ] as [(Int, String?, ObjectStorageError.Code)])
    func failuresHaveTheirCodes(_ status: Int, _ name: String?, _ code: ObjectStorageError.Code) {
        let failure = failure(status, name)
        #expect(failure?.code == code && failure?.name == name)
    }

    @Test func successIsNone() { #expect(failure(200, nil) == nil && failure(204, nil) == nil) }

    @Test func anotherRegionIsTold() {
        let moved = failure(301, "PermanentRedirect", fields: ["x-amz-bucket-region": "eu-west-1"])
        #expect(moved?.code == .elsewhere && moved?.region == "eu-west-1")
        #expect(moved?.description.contains("region eu-west-1") == true)
        let wrong = failure(400, "AuthorizationHeaderMalformed", more: "<Region>eu-west-2</Region>")
        #expect(wrong?.code == .elsewhere && wrong?.region == "eu-west-2")
    }

    @Test(arguments: [
        ("RequestTimeTooSkewed", "Tue, 01 Dec 2026 06:00:00 GMT", 3600),
        ("AccessDenied", "Tue, 01 Dec 2026 04:00:00 GMT", -3600),
    ])
    func clocksThatAreApartAreTold(_ name: String, _ date: String, _ seconds: Int) {
        let failure = failure(403, name, fields: ["date": date])
        #expect(failure?.code == .clockSkew && failure?.skew == .seconds(seconds))
    }

    @Test func smallDifferencesOfClocksAreNoReason() {
        #expect(failure(403, "AccessDenied", fields: ["date": "Tue, 01 Dec 2026 05:10:00 GMT"])?.code == .refused)
    }

    @Test func theStoreSaysWhenToComeBack() {
        #expect(failure(503, "SlowDown", fields: ["retry-after": "7"])?.retryAfter == .seconds(7))
    }

    @Test func keysAreLeftOut() {
        let failure = failure(403, "canary-secret and canary-id")
        #expect(failure?.message.contains("canary") == false)
    }

    @Test(
        arguments: [
            ("bytes 0-99/1000", 0..<100), ("bytes 999-999/1000", 999..<1000), ("bytes 0-1000/1000", nil),
            ("bytes 5-4/10", nil), ("bytes */10", nil), ("bytes 0-9/*", nil), ("0-9/10", nil), ("bytes -1-2/10", nil),
        ] as [(String, Range<Int64>?)])
    func rangesAreRead(_ text: String, _ range: Range<Int64>?) {
        #expect(Bucket.contentRange(text)?.range == range)
    }
}
