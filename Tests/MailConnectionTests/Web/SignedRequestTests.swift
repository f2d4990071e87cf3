import FundCore
import Synchronization
import TestSupport
import Testing

@testable import MailConnection

/// The examples of AWS's documentation
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html), as libcurl signs them.
struct SignedRequestTests {
    private static let key = SigningKey(
        id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    private struct Example: Sendable {
        var method = "GET"
        var path: String
        var fields: [(name: String, value: String)] = []
        var body: String?
        var digest = nothing
        var signature: String
    }

    private static let examples = [
        Example(
            path: "/test.txt", fields: [("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            method: "PUT", path: "/test%24file.text",
            fields: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            body: "Welcome to Amazon S3.",
            digest: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            path: "/?lifecycle=", signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            path: "/?max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: examples.indices)
    func signsAsAWSDoes(_ index: Int) throws {
        let example = Self.examples[index]
        let heads = Heads()
        let server = try LoopbackServer { _, socket in
            heads.list.withLock { $0.append(String(decoding: LoopbackSocket.receive(socket), as: UTF8.self)) }
            _ = LoopbackSocket.send("HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n".utf8, to: socket)
        }
        defer { server.stop() }
        let session = try WebSession(
            signedBy: Self.key, service: "s3", region: "us-east-1", caFile: nil, limits: WebLimits(maxBodyBytes: 1000),
            substitutes: ["examplebucket.s3.amazonaws.com:80:127.0.0.1:\(server.port)"], cancellation: Cancellation())
        let address = try WebAddress(publicURL: "http://examplebucket.s3.amazonaws.com\(example.path)")
        let fields =
            example.fields + [("x-amz-content-sha256", example.digest), ("X-Amz-Date", "20130524T000000Z")]
        let answer = try session.answer(to: WebRequest(example.method, address, fields: fields, body: example.body))
        #expect(answer.status == 200)
        let head = heads.list.withLock { $0.first ?? "" }
        #expect(head.contains("Signature=\(example.signature)"), "\(head)")
        #expect(!head.contains(Self.key.secret))
    }

    private final class Heads: Sendable { let list = Mutex<[String]>([]) }

    @Test func aKeyIsNeverPrinted() {
        let key = SigningKey(id: "id-of-the-key", secret: "canary-secret", sessionToken: "canary-token")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!"\(key) \(String(reflecting: key)) \(dumped)".contains("canary"))
        #expect(!key.redacting("canary-secret, canary-token and id-of-the-key").contains("canary"))
        #expect(!key.redacting("it is id-of-the-key").contains("id-of"))
    }
}
