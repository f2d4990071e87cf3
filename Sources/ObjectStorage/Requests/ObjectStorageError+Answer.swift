internal import FundCore
internal import MailConnection

extension ObjectStorageError {
    /// Longest text of a store that is passed on.
    private static let maxMessageBytes = 300
    /// Clocks may differ by a quarter of an hour
    /// (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html).
    private static let maxSkew = Duration.seconds(900)

    /// The failure of which an answer tells; nil for one of success.
    ///
    /// - Parameters:
    ///   - key: left out of what the store says.
    ///   - now: by this machine's clock.
    init?(_ answer: WebAnswer, _ operation: String, without key: SigningKey, at now: Timestamp) {
        guard !(200...299).contains(answer.status) else { return nil }
        self.init(answer, AnswerDocument(answer.body), operation, without: key, at: now)
    }

    /// The failure that an answer of success has in its body, as that to CompleteMultipartUpload may
    /// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html).
    init?(
        body document: AnswerDocument, of answer: WebAnswer, _ operation: String, without key: SigningKey,
        at now: Timestamp
    ) {
        guard document.name == "Error" else { return nil }
        var failed = answer
        failed.status = 500
        self.init(failed, document, operation, without: key, at: now)
    }

    private init(
        _ answer: WebAnswer, _ document: AnswerDocument?, _ operation: String, without key: SigningKey,
        at now: Timestamp
    ) {
        let name = document?.text("Code").flatMap { $0.isEmpty ? nil : $0 }
        let said = document?.text("Message") ?? ""
        let text = key.redacting(said.isEmpty ? "it answers \(answer.status)" : said)
        let ahead = answer.date.map { $0 - now }
        var code = Self.code(name: name, status: answer.status)
        // Some stores call a signature of another time just wrong.
        if code == .refused, let ahead, max(ahead, .zero - ahead) > Self.maxSkew { code = .clockSkew }
        self.init(code, operation, text.label.prefix(bytes: Self.maxMessageBytes), name: name?.label.prefix(bytes: 60))
        retryAfter = answer.retryAfter(at: now)
        if code == .clockSkew { skew = ahead }
        if code == .elsewhere {
            region = answer.fields["x-amz-bucket-region"] ?? document?.text("Region")
            let place = region.map { "region \($0)" } ?? document?.text("Endpoint") ?? "another region"
            message = "the bucket lies in \(place)".label.prefix(bytes: Self.maxMessageBytes)
            // A signature that the store cannot read is one of these, too.
            if region == nil, answer.status >= 400 { (self.code, message) = (.refused, text.label) }
        }
    }

    /// The meaning of a store's name of a failure, or of the status alone.
    static func code(name: String?, status: Int) -> Code {
        if let code = name.flatMap({ names[$0] }) { return code }
        if let name, fullWords.contains(where: name.contains) { return .full }
        switch status {
        case 301, 302, 307, 308: return .elsewhere
        case 401, 403: return .refused
        case 404: return .missing
        case 405, 501: return .unsupported
        case 408: return .timedOut
        case 409: return .serverFailed
        case 412: return .exists
        case 416: return .outOfRange
        case 429, 503: return .throttled
        case 507: return .full
        case 500...599: return .serverFailed
        case 400...499: return .refused
        default: return .unreadable
        }
    }

    /// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    private static let names: [String: Code] = [
        "RequestTimeTooSkewed": .clockSkew,
        "PermanentRedirect": .elsewhere, "TemporaryRedirect": .elsewhere, "Redirect": .elsewhere,
        "AuthorizationHeaderMalformed": .elsewhere, "IllegalLocationConstraintException": .elsewhere,
        "NoSuchBucket": .noBucket,
        "NoSuchKey": .missing, "NoSuchUpload": .missing,
        "PreconditionFailed": .exists, "BucketAlreadyExists": .exists, "BucketAlreadyOwnedByYou": .exists,
        // Another request about the same object is under way.
        "ConditionalRequestConflict": .serverFailed, "OperationAborted": .serverFailed,
        "SlowDown": .throttled, "ServiceUnavailable": .throttled, "Busy": .throttled,
        "RequestLimitExceeded": .throttled, "TooManyRequests": .throttled,
        "InternalError": .serverFailed,
        "RequestTimeout": .timedOut,
        "BadDigest": .damaged, "XAmzContentSHA256Mismatch": .damaged, "IncompleteBody": .damaged,
        "InvalidRange": .outOfRange,
        "NotImplemented": .unsupported, "MethodNotAllowed": .unsupported,
    ]
    private static let fullWords = ["QuotaExceeded", "InsufficientStorage", "StorageFull", "QuotaFull"]
}
