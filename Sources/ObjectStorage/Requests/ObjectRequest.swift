internal import Crypto
internal import FundCore
internal import MailConnection

/// A request to an object store, which may be sent again.
struct ObjectRequest {
    var method: String
    /// Nil for the bucket.
    var key: ObjectKey?
    var query: [(name: String, value: String)] = []
    var fields: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// SHA-256 of the body.
    let digest: ContentDigest
    /// The operation for messages.
    var operation: String

    /// SHA-256 of no bytes.
    private static let nothing = ContentDigest.of([])

    /// - Parameter digest: of the body; nil where it is not known yet.
    init(
        _ method: String, _ key: ObjectKey?, query: [(name: String, value: String)] = [],
        fields: [(name: String, value: String)] = [], body: [UInt8]? = nil, digest: ContentDigest? = nil,
        operation: String
    ) {
        (self.method, self.key, self.query, self.fields, self.body) = (method, key, query, fields, body)
        self.digest = digest ?? body.map { ContentDigest(SHA256.hash(data: $0)) } ?? Self.nothing
        self.operation = operation
    }

    /// The request as it is sent.
    /// - Parameter token: of a key that ends soon.
    func request(to bucket: BucketAddress, token: String?) -> WebRequest {
        // libcurl 7.88 signs each of these, and takes the digest from them. A time would be sent twice.
        var signed = [("x-amz-content-sha256", digest.hex)]
        if let token { signed.append(("x-amz-security-token", token)) }
        return WebRequest(
            method, bucket.address(of: key, query: query), fields: fields.map { ($0.name, $0.value) } + signed,
            bytes: body)
    }
}
