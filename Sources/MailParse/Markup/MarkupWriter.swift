import FundCore

/// Writes markup in which every text is escaped and every attribute quoted, with holes for what the caller knows.
struct MarkupWriter {
    private var pieces: [SanitizedMail.Piece] = []
    /// Fillings of the holes, by the index of the piece behind each.
    private var fillings: [Int: [SanitizedMail.Piece]] = [:]
    private var markup: [UInt8] = []
    private var writtenBytes = 0

    /// Bytes written so far.
    var count: Int { writtenBytes + markup.count }

    /// Markup as it stands; a constant, or what `StyleSheet` gave.
    mutating func write(_ text: String) { markup += text.utf8 }

    /// Text whose references are decoded.
    mutating func write(text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case .ampersand: markup += "&amp;".utf8
            case .lessThan: markup += "&lt;".utf8
            case .greaterThan: markup += "&gt;".utf8
            case .quote: markup += "&quot;".utf8
            // Controls are no text.
            case 0..<UInt8.tab, .vt, .cr..<UInt8.space, .delete: break
            default: markup.append(byte)
            }
        }
    }

    /// Text with references. A name that is not known stays as it is written: no reference makes markup.
    mutating func write(referring text: [UInt8]) {
        var index = 0
        while index < text.count {
            guard text[index] == .ampersand else {
                let end = text[index...].firstIndex(of: .ampersand) ?? text.count
                write(text: text[index..<end])
                index = end
                continue
            }
            switch CharacterReferences.read(text, at: index, false) {
            case .scalar(let scalar, let end):
                write(text: String(scalar).utf8)
                index = end
            case .unknown(let end):
                markup += text[index..<end]
                index = end
            case .none:
                write(text: text[index...index])
                index += 1
            }
        }
    }

    mutating func write(attribute name: String, _ value: String) {
        write(" \(name)=\"")
        write(text: value.utf8)
        write("\"")
    }

    /// Inside the quotes of an attribute.
    mutating func write(_ hole: SanitizedMail.Piece) {
        flush()
        pieces.append(hole)
    }

    /// A place that `fill` fills once it is known what goes in; else it stays empty.
    mutating func openHole() -> Int {
        flush()
        return pieces.count
    }

    mutating func fill(_ hole: Int, _ filling: SanitizedMail.Piece...) {
        fillings[hole] = filling
        for case .markup(let text) in filling { writtenBytes += text.utf8.count }
    }

    private mutating func flush() {
        guard !markup.isEmpty else { return }
        writtenBytes += markup.count
        pieces.append(.markup(String(decoding: markup, as: UTF8.self)))
        markup = []
    }

    /// All pieces, no two of markup beside each other. Long piles of combining marks, for which browsers take quadratic
    /// time, are divided.
    consuming func finish() -> [SanitizedMail.Piece] {
        flush()
        var result: [SanitizedMail.Piece] = []
        var text = ""
        func take(_ piece: SanitizedMail.Piece) {
            if case .markup(let part) = piece {
                text += part
                return
            }
            if !text.isEmpty { result.append(.markup(text.drawableMarkup)) }
            text = ""
            result.append(piece)
        }
        for (index, piece) in pieces.enumerated() {
            fillings[index]?.forEach(take)
            take(piece)
        }
        fillings[pieces.count]?.forEach(take)
        if !text.isEmpty { result.append(.markup(text.drawableMarkup)) }
        return result
    }

    /// Escapes a text for an attribute.
    static func escaped(_ text: String) -> String {
        var writer = MarkupWriter()
        writer.write(text: text.utf8)
        return String(decoding: writer.markup, as: UTF8.self)
    }
}
