/// The words that somebody sees of an HTML body, for the search index only: never to be shown.
enum VisibleText {
    /// Longer bodies are read up to here.
    static let maxBytes = 1 << 20

    static func of(html: String) -> String {
        var scanner = Scanner(bytes: Array(html.utf8.prefix(maxBytes)))
        return String(decoding: scanner.run(), as: UTF8.self)
    }

    private struct Scanner {
        let bytes: [UInt8]
        var position = 0
        var output: [UInt8] = []

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func run() -> [UInt8] {
            output.reserveCapacity(bytes.count / 2)
            while position < bytes.count {
                switch bytes[position] {
                case UInt8(ascii: "<"): skipTag()
                case UInt8(ascii: "&"): takeEntity()
                default:
                    output.append(bytes[position])
                    position += 1
                }
            }
            return output
        }

        /// With what is between `<script>` or `<style>` and its end. Tags within a line do not part words.
        private mutating func skipTag() {
            if matches("<!--", at: position) { return skip(past: "-->") }
            var end = position + 1
            while end < bytes.count, Self.isLetter(bytes[end]) || bytes[end] == UInt8(ascii: "/") { end += 1 }
            let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self).lowercased()
            guard !name.isEmpty || (end < bytes.count && bytes[end] == UInt8(ascii: "!")) else {
                output.append(UInt8(ascii: " "))
                position += 1
                return
            }
            skip(past: ">")
            if name == "script" || name == "style" { skip(past: "</\(name)"); skip(past: ">") }
            let isInline = ["b", "i", "u", "em", "strong", "span", "font", "a"].contains(
                name.hasPrefix("/") ? String(name.dropFirst()) : name)
            if !isInline { output.append(UInt8(ascii: " ")) }
        }

        private mutating func skip(past text: String) {
            while position < bytes.count, !matches(text, at: position) { position += 1 }
            position = min(position + text.utf8.count, bytes.count)
        }

        private func matches(_ text: String, at start: Int) -> Bool {
            guard start + text.utf8.count <= bytes.count else { return false }
            return zip(text.utf8, bytes[start...]).allSatisfy { $0 == ($1 >= 65 && $1 <= 90 ? $1 + 32 : $1) }
        }

        private static func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }

        private mutating func takeEntity() {
            let name = bytes[(position + 1)...].prefix(10).prefix { $0 != UInt8(ascii: ";") }
            let isClosed = position + 1 + name.count < bytes.count && bytes[position + 1 + name.count] == 59
            guard isClosed, let scalar = Self.scalar(String(decoding: name, as: UTF8.self)) else {
                output.append(UInt8(ascii: " "))
                position += 1
                return
            }
            output += Array(String(scalar).utf8)
            position += name.count + 2
        }

        private static func scalar(_ name: String) -> Unicode.Scalar? {
            if name.hasPrefix("#x") || name.hasPrefix("#X") {
                return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            }
            if name.hasPrefix("#") { return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) }
            return named[name]
        }

        /// What mail programs write for letters (HTML 4 §24.2); all others part words.
        private static let named: [String: Unicode.Scalar] = {
            let latin1 = """
                Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH
                Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
                aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde
                ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
                """
            var result: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "nbsp": " "]
            for (offset, name) in latin1.split(whereSeparator: \.isWhitespace).enumerated() {
                result[String(name)] = Unicode.Scalar(0xC0 + UInt32(offset))
            }
            return result
        }()
    }
}
