internal import CCurl
internal import FundCore

/// Time at which the certificate of a server expires (https://curl.se/libcurl/c/CURLINFO_CERTINFO.html).
enum CertificateExpiry {
    private static let mark = "Expire date:"

    /// Expiry of the server's own certificate; nil without TLS, or when `CURLOPT_CERTINFO` was not set.
    static func ofServer(_ easy: UnsafeMutableRawPointer) -> Timestamp? {
        var list: UnsafeMutablePointer<curl_certinfo>?
        guard fundmail_curl_get_certificates(easy, &list) == CURLE_OK, let list, list.pointee.num_of_certs > 0,
            let certificates = list.pointee.certinfo
        else { return nil }
        var entry = certificates[0]
        while let current = entry {
            let line = current.pointee.data.map { String(cString: $0) } ?? ""
            if line.hasPrefix(mark) { return time(String(line.dropFirst(mark.count))) }
            entry = current.pointee.next
        }
        return nil
    }

    /// `Dec  5 12:00:00 2026 GMT`, as OpenSSL's ASN1_TIME_print writes it; nil when it is not a date.
    static func time(_ text: String) -> Timestamp? {
        let time = fundmail_curl_getdate(text, nil)  // https://curl.se/libcurl/c/curl_getdate.html
        return time == -1 ? nil : Timestamp(Int64(time))
    }
}
