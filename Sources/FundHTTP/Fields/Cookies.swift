internal import HTTPTypes
package import Hummingbird

/// `Cookie` (RFC 6265 §4.2.1).
package enum Cookies {
    /// Nil also when two have the name: which is meant is not known.
    package static func value(of name: String, in request: Request) -> String? {
        let pairs = request.headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        let values = pairs.compactMap { pair in
            let text = pair.drop { $0 == UInt8(ascii: " ") }
            return text.starts(with: Array((name + "=").utf8)) ? text.dropFirst(name.utf8.count + 1) : nil
        }
        return values.count == 1 ? String(decoding: values[0], as: UTF8.self) : nil
    }
}
