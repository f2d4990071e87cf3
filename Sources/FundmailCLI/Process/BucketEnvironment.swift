import Glibc

/// Variables by which the key to a bucket is found, as AWS's tools name them.
enum BucketEnvironment {
    private static let names = [
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
        "AWS_SHARED_CREDENTIALS_FILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "HOME",
    ]

    static var current: [String: String] {
        names.reduce(into: [:]) { found, name in found[name] = getenv(name).map { String(cString: $0) } }
    }
}
