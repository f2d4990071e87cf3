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
        return hosts(in: text).first { shown in
            let plain = shown.hasPrefix("www.") ? String(shown.dropFirst(4)) : shown
            return real != plain && !real.hasSuffix("." + plain)
        }
    }

    /// In lower case, without what is not seen, and wide forms as narrow ones.
    package static func hosts(in text: String) -> [String] {
        var scan = Scan()
        for scalar in text.unicodeScalars.prefix(maxScalars) where !scalar.properties.isDefaultIgnorableCodePoint {
            scan.take(scalar.narrow)
        }
        scan.take(" ")
        return scan.found
    }

    private struct Scan {
        var found: [String] = []
        private var word = ""
        /// Of a URL, up to the next space.
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
            // What stands before the host in a mail address.
            if scalar == "@", slashes < 2 { return }
            if !isURL, ShownHosts.fileEndings.contains(String(last)) { return }
            if "/\\?#:".unicodeScalars.contains(scalar) { isInPath = true }
            found.append(name.joined(separator: "."))
        }
    }
}

extension Unicode.Scalar {
    /// Full-width forms (U+FF01 to U+FF5E) as the ASCII that browsers make of them in a host.
    fileprivate var narrow: Unicode.Scalar {
        (0xFF01...0xFF5E).contains(value) ? Unicode.Scalar(value - 0xFEE0) ?? self : self
    }

    /// Letters of scripts that are mistaken for Latin, too. Others, as Chinese, write hosts without spaces around them.
    fileprivate var isHostLetter: Bool {
        switch value {
        case 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x00C0...0x058F, 0x1E00...0x1FFF, 0x2C60...0x2C7F, 0xA640...0xA69F: properties.isAlphabetic
        default: false
        }
    }
}
