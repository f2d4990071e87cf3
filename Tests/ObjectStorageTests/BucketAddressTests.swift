import MailConnection
import Testing

@testable import ObjectStorage

struct BucketAddressTests {
    @Test(arguments: [
        ("s3://mail?region=eu-west-1", "https://mail.s3.eu-west-1.amazonaws.com/v1/a?a=1&b=x%2Fy"),
        ("s3://mail/fund?region=eu-west-1", "https://mail.s3.eu-west-1.amazonaws.com/fund/v1/a?a=1&b=x%2Fy"),
        ("s3://mail.corp?region=eu-west-1", "https://s3.eu-west-1.amazonaws.com/mail.corp/v1/a?a=1&b=x%2Fy"),
        ("S3://mail?endpoint=https://s3.corp.example", "https://s3.corp.example/mail/v1/a?a=1&b=x%2Fy"),
        ("s3://mail/a/b/?endpoint=https%3A%2F%2Fs3.example:9000", "https://s3.example:9000/mail/a/b/v1/a?a=1&b=x%2Fy"),
        ("s3://mail?endpoint=http://127.0.0.1:9000", "http://127.0.0.1:9000/mail/v1/a?a=1&b=x%2Fy"),
        ("s3://mail?endpoint=https://s3.corp.example&style=virtual", "https://mail.s3.corp.example/v1/a?a=1&b=x%2Fy"),
    ])
    func anAddressIsRead(_ text: String, _ url: String) throws {
        let address = try BucketAddress(text, environment: [:])
        let key = try #require(ObjectKey("v1/a"))
        #expect(address.address(of: key, query: [("b", "x/y"), ("a", "1")]).description == url)
    }

    @Test func theEnvironmentFillsWhatIsOpen() throws {
        let environment = ["AWS_REGION": "eu-north-1", "AWS_DEFAULT_REGION": "x", "AWS_CA_BUNDLE": "/ca.pem"]
        let address = try BucketAddress("s3://mail", environment: environment)
        #expect(address.region == "eu-north-1" && address.caFile == "/ca.pem")
        #expect(try BucketAddress("s3://mail?region=y1", environment: environment).region == "y1")
        #expect(try BucketAddress("s3://mail?endpoint=https://s3.example", environment: [:]).region == "us-east-1")
    }

    @Test(arguments: [
        ("https://mail", "s3://"), ("s3://mail", "needs its region"),
        ("s3://canary:canary@mail?region=x", "names a key"),
        ("s3://Ma?region=x", "3 to 63"), ("s3://ma..il?region=x", "3 to 63"), ("s3://mail/A?region=x", "prefix"),
        ("s3://mail/a//b?region=x", "prefix"), ("s3://mail?endpoint=http://s3.example", "https://"),
        ("s3://mail?endpoint=https://s3.example/a", "no path"),
        ("s3://mail?endpoint=https://canary@s3.example", "user"),
        ("s3://mail?region=x&style=canary", "style"), ("s3://mail?region=x&region=y", "twice"),
        ("s3://mail?region=", "empty"), ("s3://mail?secret=canary", "nothing else"),
        ("s3://mail?region=a%20b", "region"),
    ])
    func whatCannotBeUsedIsToldWithoutSecrets(_ text: String, _ words: String) {
        let error = #expect(throws: ObjectStorageError.self) { try BucketAddress(text, environment: [:]) }
        #expect(error?.code == .address && error?.message.contains(words) == true, "\(error as Any)")
        #expect(error?.description.contains("canary") == false)
    }

    @Test(arguments: ["", "/a", "a/", "a//b", "A", "a.b", "a b", "ä", String(repeating: "a", count: 901)])
    func otherNamesAreNoKeys(_ text: String) { #expect(ObjectKey(text) == nil) }
}
