import FundCore

/// The pictures that a mail brings with it: attachments, by Content-ID or name, and those in `data:` URLs.
struct MailPictures {
    enum Found {
        case attachment(Int)
        /// A `data:` URL (RFC 2397).
        case data(String)
        /// There is no room for it any more; its name.
        case tooMuch(String)
        case none
    }

    /// Places where pictures are shown; small ones may be shown often.
    private static let maxCount = 500
    /// No SVG, which is markup.
    private static let dataTypes = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif"]

    private let pictures: [HTMLMail.Picture]
    private let byContentID: [String: Int]
    private let byName: [String: Int]
    private var bytesLeft = HTMLMail.maxPictureBytes
    private var countLeft = maxCount

    init(_ pictures: [HTMLMail.Picture]) {
        self.pictures = pictures
        let indexed = pictures.enumerated()
        byContentID = Dictionary(
            indexed.compactMap { index, picture in picture.contentID.map { ($0, index) } }, uniquingKeysWith: { $1 })
        byName = Dictionary(indexed.map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Finds the picture that an address stands for.
    func find(_ source: String) -> Found {
        let text = String(decoding: ASCII.trimmed(Array(source.utf8)[...]), as: UTF8.self)
        let scheme = ASCII.lowercased(text.utf8.prefix { $0 != .colon && $0 != .slash })
        if text.utf8.count > scheme.utf8.count, text.utf8.dropFirst(scheme.utf8.count).first == .colon {
            if scheme == "cid" { return attachment(byContentID[Self.decoded(text.utf8.dropFirst(4))]) }
            return scheme == "data" ? data(text) : .none
        }
        guard !text.hasPrefix("//"), let name = text.utf8.split(separator: .slash).last else { return .none }
        return attachment(byName[Self.decoded(name)])
    }

    /// Finds a picture, and takes its share of the room that there is.
    mutating func take(_ source: String) -> Found {
        let found = find(source)
        switch found {
        case .attachment(let index): bytesLeft -= max(0, pictures[index].bytes)
        case .data(let text): bytesLeft -= Int64(text.utf8.count)
        case .tooMuch, .none: return found
        }
        countLeft -= 1
        return found
    }

    private func attachment(_ index: Int?) -> Found {
        guard let index else { return .none }
        return pictures[index].bytes <= bytesLeft && countLeft > 0 ? .attachment(index) : .tooMuch(pictures[index].name)
    }

    /// `data:`, a type of the list, `;base64,` and what that allows.
    private func data(_ text: String) -> Found {
        let comma = text.utf8.firstIndex(of: .comma) ?? text.utf8.endIndex
        let head = ASCII.lowercased(text.utf8[..<comma].dropFirst(5))
        guard comma < text.utf8.endIndex, Self.dataTypes.contains(where: { head == $0 + ";base64" }) else {
            return .none
        }
        let digits = text.utf8[text.utf8.index(after: comma)...]
        guard digits.allSatisfy({ ASCII.isAlphanumeric($0) || "+/=".utf8.contains($0) }) else { return .none }
        guard Int64(text.utf8.count) <= bytesLeft, countLeft > 0 else { return .tooMuch("") }
        return .data("data:\(head),\(String(digits) ?? "")")
    }

    private static func decoded(_ text: some Sequence<UInt8>) -> String {
        String(decoding: PercentCoding.decodedLeniently(Array(text)[...]), as: UTF8.self)
    }
}
