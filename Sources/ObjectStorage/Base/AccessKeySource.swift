internal import FundCore
package import MailConnection

/// The place of the key to a bucket, by the names that AWS's tools have: variables of the environment, else a profile
/// in a file of keys (https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html).
package struct AccessKeySource: Sendable, CustomStringConvertible, CustomReflectable {
    private let environment: [String: String]

    private static let maxFileBytes = 1 << 20

    /// - Parameter environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` are a key;
    ///   `AWS_SHARED_CREDENTIALS_FILE`, else `.aws/credentials` below `HOME`, names a file, `AWS_PROFILE` a part of it.
    package init(environment: [String: String]) {
        let names = [
            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
            "AWS_SHARED_CREDENTIALS_FILE", "HOME",
        ]
        self.environment = environment.filter { names.contains($0.key) && !$0.value.isEmpty }
    }

    /// A key that is known.
    init(_ key: SigningKey) {
        environment = ["AWS_ACCESS_KEY_ID": key.id, "AWS_SECRET_ACCESS_KEY": key.secret]
            .merging(key.sessionToken.map { ["AWS_SESSION_TOKEN": $0] } ?? [:]) { $1 }
    }

    package var description: String { "(left out)" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The key as it is now: a file is read anew, since keys that end are replaced in it. Throws `noKey`.
    package func read() throws(ObjectStorageError) -> SigningKey {
        switch (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]) {
        case (let id?, let secret?):
            return try checked(SigningKey(id: id, secret: secret, sessionToken: environment["AWS_SESSION_TOKEN"]))
        case (nil, nil): return try readFile()
        case (_, nil): throw failure("AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not")
        case (nil, _): throw failure("AWS_SECRET_ACCESS_KEY is set, and AWS_ACCESS_KEY_ID is not")
        }
    }

    private func readFile() throws(ObjectStorageError) -> SigningKey {
        let named = environment["AWS_SHARED_CREDENTIALS_FILE"]
        guard let path = named ?? environment["HOME"].map({ "\($0)/.aws/credentials" }) else {
            throw failure("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE")
        }
        let bytes: [UInt8]
        do { bytes = try WholeFile.readRegular(path, maxBytes: Self.maxFileBytes) } catch {
            let advice = named == nil ? "; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead" : ""
            throw failure("\(path): \(error.problem)\(advice)")
        }
        let profile = environment["AWS_PROFILE"] ?? "default"
        guard let fields = Self.profiles(String(decoding: bytes, as: UTF8.self))[profile] else {
            throw failure("\(path) has no profile \(profile)")
        }
        guard let id = fields["aws_access_key_id"], let secret = fields["aws_secret_access_key"] else {
            throw failure("the profile \(profile) in \(path) has no aws_access_key_id or no aws_secret_access_key")
        }
        return try checked(SigningKey(id: id, secret: secret, sessionToken: fields["aws_session_token"]))
    }

    /// The fields of each profile. Of a field that stands twice the last counts.
    private static func profiles(_ text: String) -> [String: [String: String]] {
        var (profiles, current): ([String: [String: String]], String?) = ([:], nil)
        for line in text.split(whereSeparator: \.isNewline).map(\.trimmed) {
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                let name = line[line.index(after: line.startIndex)..<end].trimmed
                current = name
                profiles[name] = profiles[name] ?? [:]
            } else if let current, let sign = line.firstIndex(of: "=") {
                let value = line[line.index(after: sign)...].trimmed
                if !value.isEmpty { profiles[current]?[ASCII.lowercased(line[..<sign].trimmed.utf8)] = value }
            }
        }
        return profiles
    }

    private func checked(_ key: SigningKey) throws(ObjectStorageError) -> SigningKey {
        let parts = [key.id, key.secret, key.sessionToken ?? "-"]
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isVisible) }) else {
            throw failure("a part of the key is empty, or holds a space or another character that no key has")
        }
        return key
    }

    private func failure(_ message: String) -> ObjectStorageError {
        ObjectStorageError(.noKey, "find its key", message)
    }
}
