/// A response as it came over the line.
package struct RawHTTPResponse: Sendable {
    package var status: Int
    /// Names in lower case, in the order in which they came.
    package var fields: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// The connection ended before all of the body was there.
    package var isCut = false

    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The first field of this name, in lower case.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// Nil when it is no header of HTTP/1.
    init?(head: [UInt8]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, ["HTTP/1.1", "HTTP/1.0"].contains(words[0]), let status = Int(words[1]) else {
            return nil
        }
        self.status = status
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            fields.append((parts[0].lowercased(), String(parts[1].drop { $0 == " " })))
        }
    }
}
