import FundCore

/// The charsets that mail may name. For others a guess is made: iconv never gets a name that a sender chose.
enum Charset: Hashable {
    case utf8
    /// US-ASCII as declared; for 8-bit bytes under it another charset is guessed.
    case ascii
    /// Also for ISO-8859-1: Windows programs declare the one and send the other (WHATWG Encoding §4.2).
    case windows1252
    /// ISO-2022-JP (RFC 1468) and its supersets: turned into EUC-JP, since glibc's own lacks the vendor rows.
    case iso2022JP
    /// HZ (RFC 1843): turned into GB 18030.
    case hz
    /// `asciiSafe`: bytes below 128 are ASCII, so that all-ASCII text needs no conversion.
    case iconv(String, asciiSafe: Bool)

    static let gb18030 = Charset.iconv("GB18030", asciiSafe: true)
    static let big5 = Charset.iconv("BIG5", asciiSafe: true)
    static let shiftJIS = Charset.iconv("CP932", asciiSafe: false)
    static let eucJP = Charset.iconv("EUC-JP-MS", asciiSafe: true)
    static let eucKR = Charset.iconv("UHC", asciiSafe: true)

    /// Nil when the name (any case, `*language` of RFC 2231 §5 and quotes taken off) is not on the list.
    init?(name: some Sequence<UInt8>) {
        var key: [UInt8] = []
        for byte in name {
            if byte == .asterisk { break }
            if byte == .quote || byte == .apostrophe || ASCII.isSpace(byte) { continue }
            key.append(byte == .underscore ? .hyphen : ASCII.lowercased(byte))
            guard key.count <= Self.maxNameBytes else { return nil }
        }
        guard let found = Self.byName[String(decoding: key, as: UTF8.self)] else { return nil }
        self = found
    }

    /// The longest name that is known has 30.
    private static let maxNameBytes = 40
    private static let byName: [String: Charset] = {
        var table: [String: Charset] = [:]
        func add(_ charset: Charset, _ names: String) {
            for name in names.split(separator: " ") { table[String(name)] = charset }
        }
        func safe(_ name: String) -> Charset { .iconv(name, asciiSafe: true) }
        func unsafe(_ name: String) -> Charset { .iconv(name, asciiSafe: false) }
        add(.utf8, "utf-8 utf8 unicode-1-1-utf-8 utf-8-mac utf8mb4 utf-8n x-utf-8")
        add(.ascii, "us-ascii ascii ansi-x3.4-1968 ansi-x3.4-1986 iso646-us iso-646.irv:1991 646 us x-us-ascii 7bit")
        add(.windows1252, "iso-8859-1 iso8859-1 iso88591 iso-88591 latin1 latin-1 l1 iso-8859-1:1987 iso-ir-100 cp819")
        add(.windows1252, "ansi x-ansi iso-8859-1-windows-3.1-latin-1")
        for part in 2...16 where part != 12 {
            // Supersets, as for ISO-8859-1.
            let name = part == 9 ? "CP1254" : part == 11 ? "CP874" : "ISO-8859-\(part)"
            add(safe(name), "iso-8859-\(part) iso8859-\(part)")
        }
        add(safe("ISO-8859-8"), "iso-8859-8-i iso-8859-8-e")
        add(safe("ISO-8859-6"), "iso-8859-6-i iso-8859-6-e")
        add(safe("ISO-8859-15"), "latin9 latin-9 iso885915")
        add(safe("ISO-8859-2"), "latin2 latin-2")
        add(safe("CP1254"), "latin5 latin-5")
        for page in 1250...1258 {
            let charset = page == 1252 ? Charset.windows1252 : safe("CP\(page)")
            add(charset, "windows-\(page) windows\(page) cp\(page) cp-\(page) x-cp\(page) win-\(page)")
        }
        add(safe("CP874"), "windows-874 cp874 tis-620 tis620 x-windows-874 tis620-2533")
        for page in ["437", "850", "852", "855", "858", "862", "866"] {
            let name = page == "858" ? "CP850" : "CP\(page)"
            add(safe(name), "cp\(page) ibm\(page) ibm-\(page) cp-\(page) dos-\(page)")
        }
        add(safe("KOI8-R"), "koi8-r koi8r koi8 cskoi8r")
        add(safe("KOI8-U"), "koi8-u koi8u koi8-ru")
        add(safe("MACINTOSH"), "macintosh mac x-mac-roman macroman x-macintosh")
        add(safe("VISCII"), "viscii")
        add(gb18030, "gb18030 gbk gb2312 gb-2312 gb-2312-80 chinese euc-cn euccn cp936 cp-936 ms936 windows-936 x-gbk")
        add(gb18030, "gb18030-2000 gb18030-2005 gb18030-2022 gb2312-80 csgb2312 x-euc-cn gb-18030 iso-ir-58 csgb231280")
        add(.hz, "hz-gb-2312 hz")
        add(big5, "big5 big-5 cn-big5 csbig5 big5-eten x-x-big5 cp950 ms950 windows-950 big5-tw")
        add(safe("BIG5-HKSCS"), "big5-hkscs big5hkscs big5-hkscs:2004")
        add(shiftJIS, "shift-jis shiftjis sjis x-sjis ms-kanji cp932 cp-932 ms932 windows-31j csshiftjis windows-932")
        add(eucJP, "euc-jp eucjp x-euc-jp eucjp-ms euc-jp-ms cp51932 eucjpms x-euc")
        add(.iso2022JP, "iso-2022-jp iso2022-jp iso-2022-jp-1 iso-2022-jp-3 iso-2022-jp-ms cp50220 cp50221 cp50222")
        add(.iso2022JP, "csiso2022jp x-iso-2022-jp iso-2022-jp-2004 jis iso2022jp")
        add(unsafe("ISO-2022-JP-2"), "iso-2022-jp-2")
        add(eucKR, "euc-kr euckr ks-c-5601-1987 ks-c-5601 ks-c-5601-1989 ksc5601 ksc-5601 ksc-5601-1987 cp949 uhc")
        add(eucKR, "ms949 windows-949 korean cseuckr x-windows-949 iso-ir-149 cp51949 5601")
        add(unsafe("ISO-2022-KR"), "iso-2022-kr csiso2022kr iso2022-kr iso2022kr")
        add(unsafe("UTF-7"), "utf-7 utf7 unicode-1-1-utf-7 csunicode11utf7")
        add(unsafe("UTF-16"), "utf-16 utf16 unicode ucs-2 iso-10646-ucs-2")
        add(unsafe("UTF-16LE"), "utf-16le utf16le ucs-2le unicodelittle")
        add(unsafe("UTF-16BE"), "utf-16be utf16be ucs-2be unicodebig unicodefffe")
        add(unsafe("UTF-32"), "utf-32 utf32 ucs-4 iso-10646-ucs-4")
        add(unsafe("UTF-32LE"), "utf-32le utf32le ucs-4le")
        add(unsafe("UTF-32BE"), "utf-32be utf32be ucs-4be")
        return table
    }()
}
