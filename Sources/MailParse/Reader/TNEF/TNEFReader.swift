/// Reads a TNEF stream (MS-OXTNEF), the `winmail.dat` of Outlook.
///
/// The format is a list of lengths. Each is checked by the slice that it cuts, and attachments stay ranges of the
/// stream, where libytnef adds unchecked lengths and copies every attachment.
struct TNEFReader {
    /// Content of a TNEF stream. Ranges are places in the bytes that were read.
    struct Content {
        var attachments: [Attachment] = []
        var body = Body()
        /// Every attribute was whole and its checksum right.
        var isWhole = false
    }

    struct Attachment {
        /// The long name, or the short one (8.3).
        var name: String?
        var mimeType: String?
        var contentID: String?
        var range: Range<Int> = 0..<0
        /// A message in this format; `range` is its stream.
        var isMessage = false
    }

    struct Body {
        var text: String?
        /// HTML as it stands, with its charset.
        var html: (bytes: Range<Int>, charset: String)?
        /// Compressed (MS-OXRTFCP).
        var rtf: Range<Int>?
    }

    private enum ID {
        static let attachmentStart: UInt32 = 0x0006_9002
        static let attachmentTitle: UInt32 = 0x0001_8010
        static let attachmentData: UInt32 = 0x0006_800F
        static let attachmentProperties: UInt32 = 0x0006_9005
        static let messageProperties: UInt32 = 0x0006_9003
        static let body: UInt32 = 0x0002_800C
        static let codePage: UInt32 = 0x0006_9007
    }

    private static let signature: UInt32 = 0x223E_9F78

    private let charsets: CharsetDecoder
    private var bytes: ByteCursor
    private var content = Content()
    private var charset = "windows-1252"

    init(_ bytes: [UInt8], _ range: Range<Int>, charsets: CharsetDecoder) {
        self.bytes = ByteCursor(bytes, range)
        self.charsets = charsets
    }

    /// Nil when it is no TNEF.
    mutating func read() -> Content? {
        guard bytes.u32() == Self.signature, bytes.u16() != nil else { return nil }
        content.isWhole = true
        while !bytes.isAtEnd {
            guard let level = bytes.u8(), level == 1 || level == 2, let id = bytes.u32(), let count = bytes.u32(),
                let data = bytes.take(Int(count)), let checksum = bytes.u16()
            else {
                content.isWhole = false
                break
            }
            if bytes.sum(data) != checksum { content.isWhole = false }
            take(id, data)
        }
        // An attachment with neither a name nor a byte only marks a place in the text.
        content.attachments.removeAll { $0.range.isEmpty && $0.name == nil }
        return content
    }

    private mutating func take(_ id: UInt32, _ data: Range<Int>) {
        switch id {
        case ID.codePage:
            var value = bytes.cursor(data)
            if let page = value.u32() { charset = CodePage.charset(page) }
        case ID.body: content.body.text = content.body.text ?? string(data)
        case ID.messageProperties: readMessage(data)
        case ID.attachmentStart: content.attachments.append(Attachment())
        case ID.attachmentTitle:
            let title = string(data)
            change { $0.name = $0.name ?? title }
        case ID.attachmentData: change { $0.range = data }
        case ID.attachmentProperties: readAttachment(data)
        default: break
        }
    }

    private mutating func readMessage(_ data: Range<Int>) {
        var charsetOfHTML = charset
        var html: Range<Int>?
        let isWhole = MAPIProperties.read(bytes.cursor(data)) { property in
            switch property.id {
            case 0x1000: content.body.text = string(property) ?? content.body.text
            case 0x1009: content.body.rtf = property.data
            case 0x1013: html = property.data
            case 0x3FDE: charsetOfHTML = property.number.map(CodePage.charset) ?? charsetOfHTML
            default: break
            }
        }
        if let html { content.body.html = (html, charsetOfHTML) }
        if !isWhole { content.isWhole = false }
    }

    private mutating func readAttachment(_ data: Range<Int>) {
        var attachment = content.attachments.popLast() ?? Attachment()
        var display: String?
        let isWhole = MAPIProperties.read(bytes.cursor(data)) { property in
            switch property.id {
            case 0x3707: attachment.name = string(property) ?? attachment.name
            case 0x3704: attachment.name = attachment.name ?? string(property)
            case 0x3001: display = string(property)
            case 0x370E: attachment.mimeType = string(property)
            case 0x3712: attachment.contentID = string(property)
            case 0x3701 where property.type == MAPIProperties.object:
                // Behind the identifier of its interface; IID_IMessage is followed by a stream of this format.
                var object = bytes.cursor(property.data.dropFirst(16))
                attachment.isMessage = object.u32() == Self.signature
                attachment.range = property.data.dropFirst(16)
            case 0x3701 where attachment.range.isEmpty: attachment.range = property.data
            default: break
            }
        }
        attachment.name = attachment.name ?? display
        if !isWhole { content.isWhole = false }
        content.attachments.append(attachment)
    }

    private mutating func change(_ change: (inout Attachment) -> Void) {
        if content.attachments.isEmpty { content.attachments.append(Attachment()) }
        change(&content.attachments[content.attachments.count - 1])
    }

    private func string(_ property: MAPIProperties.Property) -> String? {
        switch property.type {
        case MAPIProperties.unicode:
            let units = stride(from: property.data.lowerBound, to: property.data.upperBound - 1, by: 2).map {
                UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8
            }
            let text = String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
            return text.isEmpty ? nil : text
        case MAPIProperties.string8: return string(property.data)
        default: return nil
        }
    }

    private func string(_ data: Range<Int>) -> String? {
        let text = charsets.decode(Array(bytes.slice(data).prefix { $0 != 0 }), charset: charset).text
        return text.isEmpty ? nil : text
    }
}

/// Windows code pages under the names that charsets have in mail.
enum CodePage {
    static func charset(_ page: UInt32) -> String {
        switch page {
        case 65001: "utf-8"
        case 932: "shift_jis"
        case 936: "gbk"
        case 949: "euc-kr"
        case 950: "big5"
        case 20127: "us-ascii"
        case 28591...28605: "iso-8859-\(page - 28590)"
        case 50220...50222: "iso-2022-jp"
        case 51932: "euc-jp"
        case 54936: "gb18030"
        case 874, 1250...1258: "windows-\(page)"
        default: "windows-1252"
        }
    }
}

extension Range<Int> {
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
