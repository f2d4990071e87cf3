/// A request to a web server.
package struct WebRequest: Sendable {
    /// `GET`, `HEAD`, `PROPFIND`, `REPORT`.
    package var method: String
    package var address: WebAddress
    package var fields: [(name: String, value: String)] = []
    /// Nil: a request without one.
    package var body: [UInt8]?

    /// - Parameters:
    ///   - fields: names and values, which hold no line ends.
    ///   - body: a text, sent as UTF-8.
    package init(
        _ method: String, _ address: WebAddress, fields: [(name: String, value: String)] = [], body: String? = nil
    ) {
        self.init(method, address, fields: fields, bytes: body.map { Array($0.utf8) })
    }

    /// - Parameters:
    ///   - fields: names and values, which hold no line ends.
    ///   - bytes: the body.
    package init(
        _ method: String, _ address: WebAddress, fields: [(name: String, value: String)], bytes: [UInt8]?
    ) {
        (self.method, self.address, self.fields, self.body) = (method, address, fields, bytes)
    }
}

/// The answer of a web server.
package struct WebAnswer: Sendable, Hashable {
    package var status: Int
    /// Names in lower case; of a field that stands several times the last.
    package var fields: [String: String]
    package var body: [UInt8]

    package init(status: Int, fields: [String: String] = [:], body: [UInt8] = []) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }
}

/// Limits of one request.
package struct WebLimits: Sendable, Hashable {
    package var connect: Duration = .seconds(20)
    /// All of a request and its answer.
    package var request: Duration = .seconds(90)
    /// Time in which no byte goes either way, after which the connection counts as lost; whole seconds. Nil: none.
    package var stall: Duration?
    /// Bytes of the body of an answer.
    package var maxBodyBytes: Int

    package init(maxBodyBytes: Int) { self.maxBodyBytes = maxBodyBytes }
}
