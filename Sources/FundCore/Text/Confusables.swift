/// Letters and marks that look like others (after UTS #39), as far as they pass for a host in the text of a link.
package enum Confusables {
    /// Look-alikes of ASCII letters, digits and the dot, in lower case.
    private static let looks: [(Character, String)] = [
        (".", "\u{3002}\u{06D4}\u{0701}\u{0702}\u{A4F8}\u{A60E}\u{10A50}"),
        ("-", "\u{2010}\u{2011}\u{2012}\u{2013}\u{2043}\u{02D7}\u{2212}\u{A4FE}"),
        ("a", "аαɑᴀ"), ("b", "Ьʙᏼ"), ("c", "сϲᴄⲥ"), ("d", "ԁᴅꓒ"), ("e", "еєᴇⅇ"), ("f", "ꜰẝ"), ("g", "ɡɢց"),
        ("h", "һհʜ"), ("i", "іıɩιɪӏ"), ("j", "јϳᴊ"), ("k", "кκᴋ"), ("l", "ⅼʟ"), ("m", "мᴍ"), ("n", "ոɴп"),
        ("o", "оοօσᴏⲟ"), ("p", "рρᴘⲣ"), ("q", "ԛգ"), ("r", "гʀᴦ"), ("s", "ѕꜱ"), ("t", "тτᴛ"), ("u", "υսᴜ"),
        ("v", "ѵνᴠ"), ("w", "ԝωᴡա"), ("x", "хχ"), ("y", "уγʏүყ"), ("z", "ᴢ"), ("0", "օ"), ("3", "зӡ"),
    ]

    private static let table: [Unicode.Scalar: Unicode.Scalar] = {
        var table: [Unicode.Scalar: Unicode.Scalar] = [:]
        for (plain, others) in looks {
            for scalar in others.unicodeScalars where table[scalar] == nil {
                table[scalar] = plain.unicodeScalars.first
            }
        }
        return table
    }()

    /// The scalar that this one looks like; itself when the table has none.
    package static func look(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard !scalar.isASCII else { return scalar }
        // Letters in squares have no compatibility form.
        for start in [0x1F130, 0x1F150, 0x1F170] as [UInt32] where (start..<(start + 26)).contains(scalar.value) {
            return Unicode.Scalar(UInt8(ascii: "a") + UInt8(scalar.value - start))
        }
        return table[scalar] ?? scalar
    }

    /// The looks of a name, for comparing two.
    package static func look(of name: String) -> String {
        var result = ""
        for scalar in name.lowercased().unicodeScalars { result.unicodeScalars.append(look(of: scalar)) }
        return result
    }
}
