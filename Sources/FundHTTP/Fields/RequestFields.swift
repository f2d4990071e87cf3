internal import Foundation
package import HTTPTypes
internal import Hummingbird

/// `Authorization: Bearer …` (RFC 6750 §2.1). Not in queries, which end in logs, nor cookies, which browsers add.
package enum BearerToken {
    /// The token of a request; nil where there is none.
    package static func of(_ fields: HTTPFields) -> String? {
        guard let field = fields[.authorization] else { return nil }
        let words = field.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }
}

/// Name and password of `Authorization: Basic` (RFC 7617), in UTF-8.
package struct BasicCredentials: Hashable {
    /// Longer than every address and password that is accepted.
    private static let maxFieldBytes = 4096

    package var name: String
    package var password: String

    package init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard field.utf8.count <= Self.maxFieldBytes, parts.count == 2, parts[0].lowercased() == "basic",
            let data = Data(base64Encoded: String(parts[1].drop { $0 == " " })),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":"),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        name = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }
}

extension HTTPField.Name {
    package static let host = constant("Host")
    package static let forwardedFor = constant("X-Forwarded-For")
    package static let forwardedProto = constant("X-Forwarded-Proto")
    package static let lastEventID = constant("Last-Event-ID")
    package static let referrerPolicy = constant("Referrer-Policy")

    /// Traps when `text` is no field name; it is a constant of this program.
    package static func constant(_ text: StaticString) -> HTTPField.Name {
        guard let name = HTTPField.Name("\(text)") else { preconditionFailure("\(text) cannot name a field") }
        return name
    }
}
