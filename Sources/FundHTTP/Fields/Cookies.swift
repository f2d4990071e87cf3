internal import HTTPTypes
package import Hummingbird

/// `Cookie` (RFC 6265 §4.2.1).
package enum Cookies {
    /// Nil also when two have the name: which is meant is not known.
    package static func value(of name: String, in request: Request) -> String? {
        var value: String?
        for field in request.headers[values: .cookie] {
            for pair in field.utf8.split(separator: UInt8(ascii: ";")) {
                let text = pair.drop { $0 == UInt8(ascii: " ") }
                let rest = text.dropFirst(name.utf8.count)
                guard text.starts(with: name.utf8), rest.first == UInt8(ascii: "=") else { continue }
                guard value == nil else { return nil }
                value = String(Substring(rest.dropFirst()))
            }
        }
        return value
    }
}
