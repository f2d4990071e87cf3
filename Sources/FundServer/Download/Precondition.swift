internal import HTTPTypes

/// What the conditional fields of a request say about a content (RFC 9110 §13.2.2).
enum Precondition: Equatable {
    case proceed
    /// 304.
    case notModified
    /// 412.
    case failed

    /// Dates are compared as text: what a client sends back is what it was given.
    init(_ headers: HTTPFields, entityTag: String, lastModified: String?, isReading: Bool) {
        if headers.contains(.ifMatch), !Self.names(headers[values: .ifMatch], entityTag, weakly: false) {
            self = .failed
        } else if headers.contains(.ifNoneMatch) {
            guard Self.names(headers[values: .ifNoneMatch], entityTag, weakly: true) else {
                self = .proceed
                return
            }
            self = isReading ? .notModified : .failed
        } else if isReading, let lastModified, headers[.ifModifiedSince] == lastModified {
            self = .notModified
        } else {
            self = .proceed
        }
    }

    /// The field whose range is to be served: none when `If-Range` is about other bytes (§13.1.5). Weak tags never fit.
    static func range(_ headers: HTTPFields, entityTag: String, lastModified: String?) -> String? {
        guard let range = headers[.range], headers[values: .range].count == 1 else { return nil }
        guard let condition = headers[.ifRange] else { return range }
        return condition == entityTag || condition == lastModified ? range : nil
    }

    private static func names(_ fields: [String], _ entityTag: String, weakly: Bool) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { item in
            var tag = item.drop { $0 == " " || $0 == "\t" }
            while tag.last == " " || tag.last == "\t" { tag = tag.dropLast() }
            if tag == "*" { return true }
            if weakly, tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            return tag == entityTag
        }
    }
}
