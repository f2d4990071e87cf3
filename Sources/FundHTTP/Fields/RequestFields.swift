internal import FundCore
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
        let bytes = Array(field.utf8)
        guard bytes.count <= Self.maxFieldBytes, let space = bytes.firstIndex(of: .space),
            bytes[..<space].elementsEqual("basic".utf8, by: { $0 | 0x20 == $1 }),
            let data = Data(base64Encoded: Data(bytes[space...].drop { $0 == .space })),
            !data.contains(where: { $0 < 0x20 || $0 == 0x7F }), let colon = data.firstIndex(of: UInt8(ascii: ":")),
            let name = String(validating: data[..<colon], as: UTF8.self),
            let password = String(validating: data[(colon + 1)...], as: UTF8.self)
        else { return nil }
        (self.name, self.password) = (name, password)
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
