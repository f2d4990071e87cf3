internal import CCurl
internal import FundCore

/// Collects the answer to a request while libcurl receives it. A class, as libcurl points to it.
final class WebAnswerReader {
    /// Bytes of all header fields of an answer.
    private static let maxHeaderBytes = 64 << 10

    private let maxBodyBytes: Int
    private(set) var answer = WebAnswer(status: 0)
    private(set) var isTooLarge = false
    /// libcurl's last message, such as why a certificate was refused.
    private(set) var lastNote = ""
    private var headerBytes = 0
    private var isClosing = false

    /// Judges the addresses that are dialled; nil for a server that the configuration names.
    let addressGuard: AddressGuard?
    /// Lists of options that libcurl reads until its handle is gone.
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    init(maxBodyBytes: Int, addressGuard: AddressGuard?) {
        (self.maxBodyBytes, self.addressGuard) = (maxBodyBytes, addressGuard)
    }

    deinit { for list in lists { fundmail_curl_slist_free_all(list) } }

    func keep(_ list: UnsafeMutablePointer<curl_slist>) { lists.append(list) }

    /// Forgets the answer before.
    func reset() {
        (answer, headerBytes, lastNote) = (WebAnswer(status: 0), 0, "")
        (isTooLarge, isClosing) = (false, false)
    }

    /// libcurl's callback for the body (https://curl.se/libcurl/c/CURLOPT_WRITEFUNCTION.html): another count than that
    /// of the bytes ends the transfer.
    static let body: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let reader = Unmanaged<WebAnswerReader>.fromOpaque(context).takeUnretainedValue()
        return reader.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }

    /// libcurl's callback for one line of the header (https://curl.se/libcurl/c/CURLOPT_HEADERFUNCTION.html).
    static let header: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let reader = Unmanaged<WebAnswerReader>.fromOpaque(context).takeUnretainedValue()
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return reader.takeLine(line) ? size * count : 0
    }

    /// libcurl's debug callback (https://curl.se/libcurl/c/CURLOPT_DEBUGFUNCTION.html).
    static let note: curl_debug_callback = { _, kind, bytes, count, context in
        guard kind == CURLINFO_TEXT, let bytes, let context else { return 0 }
        let text = String(decoding: UnsafeRawBufferPointer(start: bytes, count: min(count, 1000)), as: UTF8.self)
        Unmanaged<WebAnswerReader>.fromOpaque(context).takeUnretainedValue().take(note: text)
        return 0
    }

    private func take(note text: String) {
        // Later messages do not tell why.
        isClosing = isClosing || text.hasPrefix("Closing connection")
        if !isClosing { lastNote = text.filter { !$0.isNewline } }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard answer.body.count + bytes.count <= maxBodyBytes else {
            isTooLarge = true
            return false
        }
        answer.body.append(contentsOf: bytes)
        return true
    }

    private func takeLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.maxHeaderBytes else {
            isTooLarge = true
            return false
        }
        let line = String(decoding: bytes, as: UTF8.self).trimmed
        if line.utf8.starts(with: "HTTP/".utf8) {
            // A new answer: that before was provisional, or asked for a login.
            let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            answer = WebAnswer(status: status ?? 0)
        } else if let colon = line.firstIndex(of: ":") {
            answer.fields[ASCII.lowercased(line[..<colon].utf8)] = String(line[line.index(after: colon)...]).trimmed
        }
        return true
    }
}
