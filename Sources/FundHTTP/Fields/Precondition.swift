package import FundCore
package import HTTPTypes

/// Evaluates the conditional fields of a request (RFC 9110 §13.2.2).
package enum Precondition: Equatable {
    case proceed
    /// 304.
    case notModified
    /// 412.
    case failed

    /// - Parameters:
    ///   - entityTag: nil when the target has none.
    ///   - modifiedAt: nil when the target has no such time.
    ///   - isThere: whether the target has a representation, which `*` asks for.
    ///   - isReading: for GET and HEAD.
    package init(
        _ headers: HTTPFields, entityTag: String?, modifiedAt: Timestamp?, isThere: Bool = true, isReading: Bool = false
    ) {
        func names(_ field: HTTPField.Name, weakly: Bool) -> Bool {
            Self.names(headers[values: field], entityTag, isThere: isThere, weakly: weakly)
        }
        if headers.contains(.ifMatch) {
            guard names(.ifMatch, weakly: false) else {
                self = .failed
                return
            }
        } else if let modifiedAt, let date = headers[.ifUnmodifiedSince].flatMap(DateText.time), modifiedAt > date {
            self = .failed
            return
        }
        if headers.contains(.ifNoneMatch) {
            guard names(.ifNoneMatch, weakly: true) else {
                self = .proceed
                return
            }
            self = isReading ? .notModified : .failed
        } else if isReading, let modifiedAt, headers[.ifModifiedSince] == DateText.http(modifiedAt) {
            // Compared as text: clients send back the date that they were given.
            self = .notModified
        } else {
            self = .proceed
        }
    }

    /// Whether the request makes a change conditional.
    package static func isAsked(by headers: HTTPFields) -> Bool {
        [.ifMatch, .ifNoneMatch, .ifUnmodifiedSince].contains { headers.contains($0) }
    }

    /// Whether the request is for what has a certain content, not for anything that is there (`If-Match: *`).
    package static func namesContent(_ headers: HTTPFields) -> Bool {
        isAsked(by: headers) && headers[.ifMatch].map { $0.filter { $0 != " " } != "*" } ?? true
    }

    /// The `Range` field to be served; nil when `If-Range` is about other bytes (§13.1.5). Weak tags and dates never
    /// match: two contents may be stored within one second, or get the same time from their owner.
    package static func range(_ headers: HTTPFields, entityTag: String) -> String? {
        guard let range = headers[.range], headers[values: .range].count == 1 else { return nil }
        guard let condition = headers[.ifRange] else { return range }
        return condition == entityTag ? range : nil
    }

    private static func names(_ fields: [String], _ entityTag: String?, isThere: Bool, weakly: Bool) -> Bool {
        fields.flatMap { $0.split(separator: ",") }.contains { item in
            var tag = item.drop { $0 == " " || $0 == "\t" }
            while tag.last == " " || tag.last == "\t" { tag = tag.dropLast() }
            if tag == "*" { return isThere }
            if weakly, tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            return entityTag.map { tag == $0 } ?? false
        }
    }
}
