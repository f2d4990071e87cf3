internal import FundCore

/// Writes a message that every server and mail program takes (RFC 5322, RFC 2045): 7-bit, short lines, CRLF.
package struct MessageWriter {
    /// Most messages of a thread that `References` names: the first and the latest (RFC 5322 §3.6.4 has no limit, and
    /// servers refuse long headers).
    private static let maxReferences = 20

    /// Limit of an address of pages: a line of 998 bytes takes it (RFC 5322 §2.1.1).
    private static let maxAddressBytes = 900

    private var parts: [MessageData.Part] = []
    /// The lines that were written since the last file.
    private var bytes: [UInt8] = []

    /// Writes `message`. Nothing of it comes into the header unchecked.
    ///
    /// - Throws: `noRecipient`, `notAMediaType`, and `control` for text with a line end where none belongs.
    package static func data(of message: OutgoingMessage) throws(MessageError) -> MessageData {
        var writer = MessageWriter()
        try writer.writeHeader(message)
        if message.attachments.isEmpty {
            writer.writeText(message.text)
        } else {
            try writer.writeParts(message)
        }
        return try MessageData(writer.parts + [.lines(writer.bytes)])
    }

    // MARK: Header

    private mutating func writeHeader(_ message: OutgoingMessage) throws(MessageError) {
        guard !message.to.isEmpty else { throw MessageError(.noRecipient, in: "To") }
        write("Date", [MailDateText.text(message.date)])
        try write("From", [message.from])
        try write("Reply-To", message.replyTo)
        try write("To", message.to)
        try write("Cc", message.cc)
        let subject = try HeaderText.checked(message.subject, field: "Subject")
        if !subject.isEmpty {
            var field = FieldWriter("Subject")
            field.add(unstructured: subject)
            write(field)
        }
        write("Message-ID", ["<\(message.messageID)>"])
        if let answered = message.inReplyTo { write("In-Reply-To", ["<\(answered)>"]) }
        if let first = message.references.first {
            let latest = message.references.dropFirst().suffix(Self.maxReferences - 1)
            write("References", ([first] + latest).map { "<\($0)>" })
        }
        switch message.origin {
        case .person: break
        case .generated: writeMarks("auto-generated", message.from)
        case .replied: writeMarks("auto-replied", message.from)
        }
        if let address = message.unsubscribe { try writeUnsubscribe(address) }
        write("MIME-Version", ["1.0"])
    }

    /// RFC 8058 §3.1, RFC 2369 §3.2.
    private mutating func writeUnsubscribe(_ address: String) throws(MessageError) {
        let isSafe = address.utf8.allSatisfy {
            ASCII.isVisible($0) && $0 != .lessThan && $0 != .greaterThan && $0 != UInt8(ascii: ",")
        }
        guard isSafe, address.hasPrefix("https://"), address.utf8.count <= Self.maxAddressBytes else {
            throw MessageError(.control, in: "List-Unsubscribe")
        }
        write("List-Unsubscribe", ["<\(address)>"])
        write("List-Unsubscribe-Post", ["List-Unsubscribe=One-Click"])
    }

    /// Writes the fields that keep other programs from answering (RFC 3834 §5; the second is Exchange's), and the one
    /// by which this program knows a letter of its own, or of another of its kind, that comes back.
    private mutating func writeMarks(_ kind: String, _ sender: Correspondent) {
        write("Auto-Submitted", [kind])
        write("X-Auto-Response-Suppress", ["All"])
        write("X-Fundmail-Loop", [sender.address.description])
    }

    private mutating func write(_ name: String, _ list: [Correspondent]) throws(MessageError) {
        guard !list.isEmpty else { return }
        var field = FieldWriter(name)
        for person in list { _ = try HeaderText.checked(person.name ?? "", field: name) }
        field.add(list)
        write(field)
    }

    private mutating func write(_ name: String, _ words: [String]) {
        var field = FieldWriter(name)
        field.add(words)
        write(field)
    }

    private mutating func write(_ field: FieldWriter) { writeLine(field.text) }

    private mutating func writeLine(_ line: String) { bytes += "\(line)\r\n".utf8 }

    // MARK: Content

    private mutating func writeText(_ text: String) {
        let lines = Self.lines(of: text)
        let coding = TransferCoding.ofText(lines)
        write("Content-Type", ["text/plain;", "charset=utf-8"])
        write("Content-Transfer-Encoding", [coding.rawValue])
        writeLine("")
        bytes += coding.encoded(lines)
    }

    /// The text with CRLF behind each line, the last one included: that is how mail has it.
    private static func lines(of text: String) -> [UInt8] {
        var lines: [UInt8] = []
        var previous: UInt8?
        for byte in text.utf8 {
            if byte == .lf, previous == .cr {
                // Both were written with the CR.
            } else if byte == .lf || byte == .cr {
                lines += [.cr, .lf]
            } else {
                lines.append(byte)
            }
            previous = byte
        }
        if let last = lines.last, last != .lf { lines += [.cr, .lf] }
        return lines
    }

    private mutating func writeParts(_ message: OutgoingMessage) throws(MessageError) {
        let boundary = Self.makeBoundary()
        var field = FieldWriter("Content-Type")
        field.add("multipart/mixed", parameters: ["boundary=\"\(boundary)\""])
        write(field)
        writeLine("")
        writeLine("--\(boundary)")
        writeText(message.text)
        for attachment in message.attachments {
            writeLine("\r\n--\(boundary)")
            try write(attachment)
        }
        writeLine("\r\n--\(boundary)--")
    }

    /// Neither coding has `=_`, and no text has these digits.
    private static func makeBoundary() -> String { "=_" + Hex.text(RandomBytes.make(12)) }

    private mutating func write(_ attachment: OutgoingMessage.Attachment) throws(MessageError) {
        let name = try HeaderText.checked(attachment.name, field: "the name of a file")
        var type = FieldWriter("Content-Type")
        type.add(try Self.mediaType(of: attachment), parameters: Self.charset(of: attachment))
        write(type)
        var disposition = FieldWriter("Content-Disposition")
        disposition.add("attachment", parameters: name.isEmpty ? [] : MIMEParameter.pieces("filename", name))
        write(disposition)
        write("Content-Transfer-Encoding", [TransferCoding.base64.rawValue])
        writeLine("")
        parts += [.lines(bytes), .file(attachment.content)]
        bytes = []
    }

    /// Whether text is a type and a subtype, without parameters.
    static func isMediaType(_ type: String) -> Bool {
        let names = type.utf8.split(separator: .slash, omittingEmptySubsequences: false)
        return names.count == 2
            && names.allSatisfy { name in
                (1...maxTypeNameBytes).contains(name.count)
                    && name.allSatisfy { ASCII.isAlphanumeric($0) || "!#$&-^_.+".utf8.contains($0) }
            }
    }

    /// RFC 2045 §5.1. Messages and multiparts may not be encoded (RFC 2046 §5.1 and §5.2.1), so that they go as bytes.
    private static func mediaType(of attachment: OutgoingMessage.Attachment) throws(MessageError) -> String {
        let type = ASCII.lowercased(attachment.contentType.utf8)
        guard isMediaType(type) else { throw MessageError(.notAMediaType, in: "the type of a file") }
        return type.hasPrefix("message/") || type.hasPrefix("multipart/") ? "application/octet-stream" : type
    }

    /// RFC 6838 §4.2 has 127; two of these with the field's name stay within a line of 998 anyway.
    private static let maxTypeNameBytes = 127

    /// The charset of text, which would be ASCII without one; none for text in another charset than UTF-8, and for one
    /// that is too long to be looked at.
    private static func charset(of attachment: OutgoingMessage.Attachment) -> [String] {
        let isText = ASCII.lowercased(attachment.contentType.utf8).hasPrefix("text/")
        guard isText, case .bytes(let bytes) = attachment.content else { return [] }
        return String(validating: bytes, as: UTF8.self) != nil ? ["charset=utf-8"] : []
    }
}
