internal import FundCore
package import MailConnection

/// The address of a bucket: `s3://bucket/prefix?endpoint=https://…&region=…&style=path`.
package struct BucketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The form of requests.
    package enum Style: String, Hashable, Sendable {
        /// `https://endpoint/bucket/key`, which all stores take that people run themselves.
        case path
        /// `https://bucket.endpoint/key`, which AWS asks for.
        case virtual
    }

    package let bucket: String
    /// Beginning of the names of all objects: empty, or with a slash at its end.
    package let prefix: String
    package let region: String
    package let style: Style
    /// Root of the server.
    package let endpoint: WebAddress
    /// PEM of an authority to use instead of the system's.
    package let caFile: String?

    /// The region that stores without regions expect.
    static let usualRegion = "us-east-1"

    /// Reads an address. Without an endpoint it is a bucket at AWS, whose region has to be named. An endpoint on
    /// another machine has to be `https://`.
    ///
    /// Throws `address`, without the text, which may hold a key.
    ///
    /// - Parameter environment: `AWS_REGION`, `AWS_DEFAULT_REGION` and `AWS_CA_BUNDLE` count where the address leaves
    ///   something open.
    package init(_ url: String, environment: [String: String]) throws(ObjectStorageError) {
        func bad(_ problem: String) -> ObjectStorageError {
            ObjectStorageError(.address, "read the address of the bucket", problem)
        }
        guard ASCII.lowercased(url.utf8.prefix(Self.scheme.utf8.count)) == Self.scheme else {
            throw bad("it must begin with s3://")
        }
        let halves = url.dropFirst(Self.scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let place = halves[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !halves[0].contains("@") else {
            throw bad("it names a key; keys stand in the environment or in a file, as for AWS's tools")
        }
        bucket = String(place[0])
        guard Self.isBucket(bucket) else {
            throw bad("a bucket has 3 to 63 lower-case letters, digits, dots and hyphens")
        }
        let folder = place.count > 1 ? String(place[1].hasSuffix("/") ? place[1].dropLast() : place[1]) : ""
        guard folder.isEmpty || ObjectKey.isPath(folder), folder.utf8.count <= Self.maxPrefixBytes else {
            throw bad("a prefix has lower-case letters, digits, hyphens and slashes, at most \(Self.maxPrefixBytes)")
        }
        prefix = folder.isEmpty ? "" : folder + "/"
        let options = try Self.options(halves.count > 1 ? halves[1] : "", bad)
        let named = options["region"] ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        guard let region = named ?? (options["endpoint"] == nil ? nil : Self.usualRegion) else {
            throw bad("a bucket at AWS needs its region: s3://\(bucket)?region=…")
        }
        guard Self.isRegion(region) else { throw bad("a region has letters, digits and hyphens") }
        self.region = region
        do throws(ConnectionError) {
            endpoint = try WebAddress(url: options["endpoint"] ?? "https://s3.\(region).amazonaws.com")
        } catch {
            throw bad("its endpoint cannot be used: the URL \(error.detail)")
        }
        guard endpoint.path == "/" else { throw bad("its endpoint may have no path") }
        // A certificate for all buckets of a server holds for names of one part.
        let usual: Style = options["endpoint"] == nil && !bucket.contains(".") ? .virtual : .path
        guard let style = options["style"].map(Style.init(rawValue:)) ?? usual else {
            throw bad("its style is path or virtual")
        }
        self.style = style
        caFile = environment["AWS_CA_BUNDLE"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static let scheme = "s3://"
    private static let maxPrefixBytes = 100

    private static func options(
        _ query: Substring, _ bad: (String) -> ObjectStorageError
    ) throws(ObjectStorageError) -> [String: String] {
        var options: [String: String] = [:]
        for field in query.split(separator: "&") {
            let (name, value) = (field.prefix { $0 != "=" }, field.drop { $0 != "=" }.dropFirst())
            guard ["endpoint", "region", "style"].contains(name) else {
                throw bad("it may say endpoint, region and style, and nothing else")
            }
            let text = PercentCoding.decoded(value.utf8).flatMap { String(validating: $0, as: UTF8.self) }
            guard let text, !text.isEmpty, options.updateValue(text, forKey: String(name)) == nil else {
                throw bad("\(name) is empty, cannot be read, or stands twice")
            }
        }
        return options
    }

    private static func isBucket(_ name: String) -> Bool {
        let isInside = { (byte: UInt8) in ASCII.isLowercase(byte) || ASCII.isDigit(byte) }
        guard (3...63).contains(name.utf8.count), let first = name.utf8.first, let last = name.utf8.last else {
            return false
        }
        return isInside(first) && isInside(last) && !name.contains("..")
            && name.utf8.allSatisfy { isInside($0) || $0 == .dot || $0 == .hyphen }
    }

    private static func isRegion(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == .hyphen || $0 == UInt8(ascii: "_") }
    }

    /// The address of an object, or of the bucket, in requests.
    /// - Parameter query: fields in the order of their names, since libcurl signs them as they stand.
    func address(of key: ObjectKey?, query: [(name: String, value: String)]) -> WebAddress {
        var address = endpoint
        if style == .virtual { address.server.host = "\(bucket).\(endpoint.server.host)" }
        let name = key.map { prefix + $0.text } ?? ""
        let fields = PercentCoding.joined(query.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
        // A bucket's path has no slash at its end in this style: some servers take that for an object.
        let path = style == .virtual ? "/\(name)" : "/\(bucket)" + (key == nil ? "" : "/\(name)")
        address.path = fields.isEmpty ? path : "\(path)?\(fields)"
        return address
    }

    /// The bucket with its server, without what may be left out.
    package var description: String { "s3://\(bucket)/\(prefix) at \(endpoint)" }
}
