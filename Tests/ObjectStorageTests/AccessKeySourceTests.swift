import FundCore
import MailConnection
import TestSupport
import Testing

@testable import ObjectStorage

struct AccessKeySourceTests {
    private static let file = """
        # keys
        [default]
        aws_access_key_id = one
        aws_secret_access_key=canary-1/a=b
        [ other ]
        AWS_ACCESS_KEY_ID = two
        aws_secret_access_key = canary-2
        aws_session_token = canary-3
        ; aws_access_key_id = three
        [half]
        aws_access_key_id = four
        """

    private func read(_ environment: [String: String], file: String? = file) throws -> SigningKey {
        let folder = try TestFile.makeFolder("keys")
        defer { try? DiskDirectory.removeTree(folder) }
        var environment = environment
        if let file {
            try TestFile.write(file, to: "\(folder)/keys")
            environment["AWS_SHARED_CREDENTIALS_FILE"] = "\(folder)/keys"
        }
        return try AccessKeySource(environment: environment).read()
    }

    @Test func theEnvironmentComesFirst() throws {
        let names = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"]
        #expect(try read(names) == SigningKey(id: "id", secret: "s", sessionToken: "t"))
    }

    @Test func aProfileOfAFileIsRead() throws {
        #expect(try read([:]) == SigningKey(id: "one", secret: "canary-1/a=b"))
        #expect(
            try read(["AWS_PROFILE": "other"]) == SigningKey(id: "two", secret: "canary-2", sessionToken: "canary-3"))
    }

    @Test(arguments: [
        (["AWS_ACCESS_KEY_ID": "canary"], "AWS_SECRET_ACCESS_KEY is not"),
        (["AWS_SECRET_ACCESS_KEY": "canary"], "AWS_ACCESS_KEY_ID is not"), (["AWS_PROFILE": "x"], "no profile x"),
        (["AWS_PROFILE": "half"], "no aws_access_key_id or"),
        (["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "canary canary"], "a part of the key"),
    ])
    func whatIsMissingIsTold(_ environment: [String: String], _ words: String) {
        let error = #expect(throws: ObjectStorageError.self) { try read(environment) }
        #expect(error?.code == .noKey && error?.message.contains(words) == true, "\(error as Any)")
        #expect(error?.description.contains("canary") == false)
    }

    @Test func withoutAnyKeyTheNamesAreTold() {
        let error = #expect(throws: ObjectStorageError.self) { try read([:], file: nil) }
        #expect(error?.message.contains("AWS_ACCESS_KEY_ID") == true)
    }
}
