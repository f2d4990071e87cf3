internal import FundCore

/// Links in the text of a mail.
enum TextLinks {
    struct Part: Equatable {
        var text: String
        var target: LinkTarget?

        func model(_ call: PageCall) -> PageModel {
            guard let target else { return ["text": text] }
            return ["text": text, "link": ["target": LeavingPage.address(of: target, call)] as PageModel]
        }
    }

    /// Most candidates, good or bad, that are examined in one text, and most bytes of them: a candidate goes on to the
    /// next space. The rest of the text has no links.
    private static let maxCandidates = 1000
    private static let maxCandidateBytes = 256 << 10
    private static let schemes = ["https://", "http://", "mailto:"]

    /// The text of a mail, for its page.
    static func model(of parts: [Part], _ call: PageCall) -> PageModel {
        [
            "isWordless": parts.isEmpty,
            "paragraphs": parts.isEmpty ? nil : [["parts": parts.map { $0.model(call) }] as PageModel],
        ]
    }

    /// The whole text in parts. An address goes on as far as visible ASCII does, without what ends a sentence and
    /// without a parenthesis that it does not open.
    static func parts(of text: String) -> [Part] {
        let bytes = Array(text.utf8)
        var (parts, start, index): ([Part], Int, Int) = ([], 0, 0)
        var (candidates, candidateBytes) = (0, 0)
        func plain(upTo end: Int) {
            guard end > start else { return }
            parts.append(Part(text: String(decoding: bytes[start..<end], as: UTF8.self)))
        }
        while candidates < maxCandidates, candidateBytes < maxCandidateBytes,
            let colon = bytes[index...].firstIndex(of: .colon)
        {
            index = colon + 1
            guard let first = beginning(of: bytes, before: colon, from: start) else { continue }
            let (end, read) = end(of: bytes, from: first)
            (candidates, candidateBytes) = (candidates + 1, candidateBytes + read)
            let address = String(decoding: bytes[first..<end], as: UTF8.self)
            guard let target = LinkTarget(address) else { continue }
            plain(upTo: first)
            parts.append(Part(text: address, target: target))
            (start, index) = (end, end)
        }
        plain(upTo: bytes.count)
        return parts
    }

    /// Where the scheme begins that ends at `colon`, no letter before it.
    private static func beginning(of bytes: [UInt8], before colon: Int, from start: Int) -> Int? {
        for scheme in schemes {
            let name = scheme.utf8.prefix { $0 != .colon }.count
            let first = colon - name
            guard first >= start, first + scheme.utf8.count < bytes.count,
                zip(scheme.utf8, bytes[first...]).allSatisfy({ $0 == ASCII.lowercased($1) }),
                first == 0 || !ASCII.isAlphanumeric(bytes[first - 1])
            else { continue }
            return first
        }
        return nil
    }

    /// - Returns: the end of the address, and how many bytes were examined.
    private static func end(of bytes: [UInt8], from first: Int) -> (end: Int, read: Int) {
        let address = bytes[first...].prefix(LinkTarget.maxBytes).prefix { byte in
            ASCII.isVisible(byte) && !"<>\"`".utf8.contains(byte)
        }
        var end = address.endIndex
        var unopened = address.reduce(0) { $0 + ($1 == .closeParenthesis ? 1 : $1 == .openParenthesis ? -1 : 0) }
        while end > first {
            let last = bytes[end - 1]
            if last == .closeParenthesis, unopened > 0 {
                unopened -= 1
            } else if !".,;:!?'*_".utf8.contains(last) {
                break
            }
            end -= 1
        }
        return (end, address.count)
    }
}
