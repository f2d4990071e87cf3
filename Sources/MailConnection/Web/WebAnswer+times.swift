internal import CCurl
package import FundCore

extension WebAnswer {
    /// The time for which the server asks to be left alone (`Retry-After`, RFC 9110 §10.2.3); nil where it does not.
    package func retryAfter(at now: Timestamp) -> Duration? {
        guard let text = fields["retry-after"] else { return nil }
        if let seconds = Int64(text) { return seconds >= 0 ? .seconds(seconds) : nil }
        let time = fundmail_curl_getdate(text, nil)
        return time < 0 ? nil : max(.zero, Timestamp(Int64(time)) - now)
    }

    /// The server's clock when it answered (`Date`, RFC 9110 §6.6.1); nil where it does not say.
    package var date: Timestamp? {
        guard let text = fields["date"] else { return nil }
        let time = fundmail_curl_getdate(text, nil)
        return time < 0 ? nil : Timestamp(Int64(time))
    }

    /// The time for which the answer is good (`max-age`, RFC 9111 §5.2.2.1); nil where the server does not say.
    package var maxAge: Duration? {
        let directives = (fields["cache-control"] ?? "").lowercased().split(separator: ",").map(\.trimmed)
        let value = directives.first { $0.hasPrefix("max-age=") }?.dropFirst("max-age=".count)
        return value.flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds($0) : nil }
    }
}
