import FundCore

@testable import MailParse

extension SanitizedMail {
    /// The whole document, pictures as those of a PNG file, links as plain ones.
    var text: String {
        pieces.map { piece in
            switch piece {
            case .markup(let text): text
            case .picture: "image/png;base64,iVBORw0KGgo="
            case .link(let link): MarkupWriter.escaped(link.target.address)
            }
        }.joined()
    }

    var links: [DisguisedLink] {
        pieces.compactMap { if case .link(let link) = $0 { link } else { nil } }
    }

    var pictureIndices: [Int] { pieces.compactMap { if case .picture(let index) = $0 { index } else { nil } } }
}

/// The result of a sanitizer for HTML.
func sanitized(
    _ html: String, pictures: [HTMLMail.Picture] = [], showsRemotePictures: Bool = false
) -> SanitizedMail {
    MarkupSanitizer.sanitized(
        HTMLMail(html: html, pictures: pictures, showsRemotePictures: showsRemotePictures))
}

/// Reads what a sanitizer wrote by the narrow rules by which it writes, on its own: tags in lower case, attributes in
/// double quotes, no `<` but of tags. It takes nothing over from the reader that is tested.
struct StrictMarkup {
    struct Failure: Error, CustomStringConvertible { var description: String }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var tags: [String] = []
    private(set) var attributes: [(element: String, name: String, value: String)] = []
    private(set) var styles: [String] = []

    init(_ text: String) throws {
        bytes = Array(text.utf8)
        while position < bytes.count {
            guard bytes[position] == .lessThan else {
                try check(bytes[position] != .greaterThan, "a bare >")
                position += 1
                continue
            }
            try takeTag()
        }
    }

    private func check(_ holds: Bool, _ what: String) throws {
        guard !holds else { return }
        let around = bytes[max(0, position - 60)..<min(bytes.count, position + 60)]
        throw Failure(description: "\(what) in …\(String(decoding: around, as: UTF8.self))…")
    }

    private mutating func take(_ isPart: (UInt8) -> Bool) -> String {
        let part = bytes[position...].prefix(while: isPart)
        position = part.endIndex
        return String(decoding: part, as: UTF8.self)
    }

    private mutating func expect(_ text: String) throws {
        try check(bytes[position...].starts(with: text.utf8), "no \(text)")
        position += text.utf8.count
    }

    private func isNext(_ byte: UInt8) -> Bool { position < bytes.count && bytes[position] == byte }

    private mutating func takeTag() throws {
        position += 1
        let isEnd = isNext(.slash)
        if isEnd { position += 1 }
        let name = take { ASCII.isLowercase($0) || ASCII.isDigit($0) }
        try check(!name.isEmpty, "a tag without a name")
        tags.append(name)
        while !isEnd, isNext(.space) {
            position += 1
            let attribute = take { ASCII.isLowercase($0) }
            try expect("=\"")
            let value = take { $0 != .quote }
            try check(!value.utf8.contains { $0 == .lessThan || $0 == .greaterThan }, "markup in an attribute")
            try expect("\"")
            attributes.append((name, attribute, value))
        }
        try expect(">")
        if name == "style", !isEnd {
            styles.append(take { $0 != .lessThan })
            try expect("</style>")
        }
    }
}
