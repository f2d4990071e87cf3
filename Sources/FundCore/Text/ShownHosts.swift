/// Hosts that the text of a link names, as a reader sees it.
package enum ShownHosts {
    /// Scalars of a text that are read; a link has few words.
    private static let maxScalars = 4096
    /// Endings of file names, which are no top-level domains, or are seldom meant as such.
    private static let fileEndings: Set<String> = [
        "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "txt", "csv", "rtf", "jpg", "jpeg", "png",
        "gif", "tif", "tiff", "html", "htm", "php", "aspx", "eml", "msg", "ics", "js",
    ]

    /// The first host that `text` names and that the link does not lead to; nil when there is none.
    package static func other(in text: String, than target: LinkTarget) -> String? {
        guard let host = target.host else { return nil }
        let real = host.hasSuffix(".") ? String(host.dropLast()) : host
        let look = Confusables.look(of: real)
        return hosts(in: text).first { shown in
            let plain = Confusables.look(of: shown.hasPrefix("www.") ? String(shown.dropFirst(4)) : shown)
            return look != plain && !look.hasSuffix("." + plain)
        }
    }

    /// In lower case, without what is not seen, in their compatibility form (NFKC), and with the dots that they seem to
    /// have.
    package static func hosts(in text: String) -> [String] {
        var scan = Scan()
        for scalar in readable(text, atMost: maxScalars).nfkc.unicodeScalars {
            let dot = Confusables.look(of: scalar)
            scan.take(dot == "." || dot == "-" || !scalar.isHostLetter ? dot : scalar)
        }
        scan.take(" ")
        return scan.found
    }

    /// The beginning of a text without what is not seen, and with one space for any number of blanks: so many of them
    /// do not push a host out of what is read.
    package static func readable(_ text: String, atMost count: Int) -> String {
        var (result, length, isBlank) = (String.UnicodeScalarView(), 0, false)
        for scalar in text.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            let wasBlank = isBlank
            isBlank = scalar.properties.isWhitespace || scalar == brailleBlank
            if isBlank, wasBlank { continue }
            guard length < count else { break }
            // Its compatibility form is three dots, which are no part of a host.
            result.append(isBlank || scalar == ellipsis ? " " : scalar)
            length += 1
        }
        return String(result)
    }

    private static let brailleBlank: Unicode.Scalar = "\u{2800}"
    private static let ellipsis: Unicode.Scalar = "\u{2026}"

    private struct Scan {
        var found: [String] = []
        private var word = ""
        /// True in the path of a URL, up to the next space.
        private var isInPath = false
        private var slashes = 0

        mutating func take(_ scalar: Unicode.Scalar) {
            if scalar.isHostLetter {
                if !isInPath { word.unicodeScalars.append(scalar) }
                return
            }
            end(before: scalar)
            if scalar.properties.isWhitespace { isInPath = false }
            slashes = scalar == "/" || scalar == "\\" ? slashes + 1 : 0
        }

        private mutating func end(before scalar: Unicode.Scalar) {
            defer { word = "" }
            let name = word.lowercased().split(separator: ".", omittingEmptySubsequences: true)
            guard name.count > 1, let last = name.last, last.unicodeScalars.count > 1,
                last.unicodeScalars.contains(where: { $0.properties.isAlphabetic }),
                name.allSatisfy({ $0.utf8.count <= 255 })
            else { return }
            let isURL = slashes >= 2 || name[0] == "www"
            // The local part of a mail address.
            if scalar == "@", slashes < 2 { return }
            if !isURL, ShownHosts.fileEndings.contains(String(last)) { return }
            if "/\\?#:".unicodeScalars.contains(scalar) { isInPath = true }
            found.append(name.joined(separator: "."))
        }
    }
}

extension Unicode.Scalar {
    /// Letters of scripts that are mistaken for Latin, too. Others, as Chinese, write hosts without spaces around them.
    fileprivate var isHostLetter: Bool {
        switch value {
        case 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x00C0...0x058F, 0x10A0...0x10FF, 0x13A0...0x13FF, 0x1D00...0x1FFF, 0x2C60...0x2CFF, 0xA4D0...0xA4FF,
            0xA640...0xA7FF, 0xAB30...0xABBF, 0x10400...0x1044F:
            properties.isAlphabetic
        default: false
        }
    }
}
