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
    /// Big5 with the characters of Hong Kong, as browsers read it (WHATWG Encoding §5): glibc's `BIG5` has none of
    /// them.
    static let big5 = Charset.iconv(Big5.converter, asciiSafe: true)
    static let shiftJIS = Charset.iconv("CP932", asciiSafe: false)
    static let eucJP = Charset.iconv("EUC-JP-MS", asciiSafe: true)
    static let eucKR = Charset.iconv("UHC", asciiSafe: true)
    static let iso2022JP2 = Charset.iconv("ISO-2022-JP-2", asciiSafe: false)
    static let iso2022KR = Charset.iconv("ISO-2022-KR", asciiSafe: false)
    static let iso2022CN = Charset.iconv("ISO-2022-CN", asciiSafe: false)

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

    /// Whether an escape character and what follows it mean nothing in it.
    var ignoresEscapes: Bool {
        switch self {
        case .utf8, .ascii, .windows1252, .shiftJIS: true
        case .iso2022JP, .hz: false
        case .iconv(_, let isASCIISafe): isASCIISafe
        }
    }

    /// The longest name that is known has 45.
    private static let maxNameBytes = 50
    private static let byName: [String: Charset] = {
        var table: [String: Charset] = [:]
        func add(_ charset: Charset, _ names: String) {
            for name in names.split(separator: " ") { table[String(name)] = charset }
        }
        func safe(_ name: String) -> Charset { .iconv(name, asciiSafe: true) }
        func unsafe(_ name: String) -> Charset { .iconv(name, asciiSafe: false) }
        add(.utf8, "csutf8 utf-8 utf8 unicode-1-1-utf-8 utf-8-mac utf8mb4 utf-8n x-utf-8")
        add(.ascii, "us-ascii ascii ansi-x3.4-1968 ansi-x3.4-1986 iso646-us iso-646.irv:1991 646 us x-us-ascii 7bit")
        add(.ascii, "iso-ir-6 ibm367 cp367 csascii")
        add(.windows1252, "iso-8859-1 iso8859-1 iso88591 iso-88591 latin1 latin-1 l1 iso-8859-1:1987 iso-ir-100 cp819")
        add(.windows1252, "ansi x-ansi iso-8859-1-windows-3.1-latin-1 ibm819 csisolatin1 cswindows1252")
        for part in 2...16 where part != 12 {
            // Supersets, as for ISO-8859-1.
            let name = part == 9 ? "CP1254" : part == 11 ? "CP874" : "ISO-8859-\(part)"
            add(safe(name), "iso-8859-\(part) iso8859-\(part) csiso8859\(part)")
        }
        // Further names of the registry (https://www.iana.org/assignments/character-sets).
        add(safe("ISO-8859-2"), "latin2 latin-2 l2 iso-ir-101 iso-8859-2:1987 csisolatin2")
        add(safe("ISO-8859-3"), "latin3 latin-3 l3 iso-ir-109 iso-8859-3:1988 csisolatin3")
        add(safe("ISO-8859-4"), "latin4 latin-4 l4 iso-ir-110 iso-8859-4:1988 csisolatin4")
        add(safe("ISO-8859-5"), "cyrillic iso-ir-144 iso-8859-5:1988 csisolatincyrillic")
        add(safe("ISO-8859-6"), "iso-8859-6-i iso-8859-6-e csiso88596i csiso88596e")
        add(safe("ISO-8859-6"), "arabic asmo-708 ecma-114 iso-ir-127 iso-8859-6:1987 csisolatinarabic")
        add(safe("ISO-8859-7"), "greek greek8 elot-928 ecma-118 iso-ir-126 iso-8859-7:1987 csisolatingreek")
        add(safe("ISO-8859-8"), "iso-8859-8-i iso-8859-8-e csiso88598i csiso88598e")
        add(safe("ISO-8859-8"), "hebrew iso-ir-138 iso-8859-8:1988 csisolatinhebrew")
        add(safe("CP1254"), "latin5 latin-5 l5 iso-ir-148 iso-8859-9:1989 csisolatin5")
        add(safe("ISO-8859-10"), "latin6 latin-6 l6 iso-ir-157 iso-8859-10:1992 csisolatin6")
        add(safe("ISO-8859-14"), "latin8 latin-8 l8 iso-celtic iso-ir-199 iso-8859-14:1998")
        add(safe("ISO-8859-15"), "latin9 latin-9 iso885915")
        add(safe("ISO-8859-16"), "latin10 latin-10 l10 iso-ir-226 iso-8859-16:2001")
        for page in 1250...1258 {
            let charset = page == 1252 ? Charset.windows1252 : safe("CP\(page)")
            add(charset, "windows-\(page) windows\(page) cp\(page) cp-\(page) x-cp\(page) win-\(page)")
            if page != 1252 { add(charset, "cswindows\(page)") }
        }
        add(safe("CP874"), "windows-874 cp874 tis-620 tis620 x-windows-874 tis620-2533 cswindows874 cstis620")
        for page in "437 775 850 852 855 857 858 860 861 862 863 864 865 866 869".split(separator: " ") {
            let name = page == "858" ? "CP850" : "CP\(page)"
            add(safe(name), "cp\(page) ibm\(page) ibm-\(page) cp-\(page) dos-\(page) csibm\(page) \(page)")
        }
        add(safe("CP437"), "cspc8codepage437")
        add(safe("CP775"), "cspc775baltic")
        add(safe("CP850"), "cspc850multilingual ibm00858 ccsid00858 cp00858 pc-multilingual-850+euro csibm00858")
        add(safe("CP852"), "cspcp852")
        add(safe("CP862"), "cspc862latinhebrew")
        add(safe("KOI8-R"), "koi8-r koi8r koi8 cskoi8r")
        add(safe("KOI8-U"), "koi8-u koi8u koi8-ru cskoi8u")
        add(safe("MACINTOSH"), "macintosh mac x-mac-roman macroman x-macintosh csmacintosh")
        add(safe("VISCII"), "viscii csviscii")
        add(safe("HP-ROMAN8"), "hp-roman8 roman8 r8 cshproman8")
        add(gb18030, "gb18030 gbk gb2312 gb-2312 gb-2312-80 chinese euc-cn euccn cp936 cp-936 ms936 windows-936 x-gbk")
        add(gb18030, "gb18030-2000 gb18030-2005 gb18030-2022 gb2312-80 csgb2312 x-euc-cn gb-18030 iso-ir-58 csgb231280")
        add(gb18030, "csgb18030 csgbk csiso58gb231280")
        add(.hz, "hz-gb-2312 hz cshzgb2312")
        add(iso2022CN, "iso-2022-cn csiso2022cn")
        add(unsafe("ISO-2022-CN-EXT"), "iso-2022-cn-ext csiso2022cnext")
        add(big5, "big5 big-5 cn-big5 csbig5 big5-eten x-x-big5 cp950 ms950 windows-950 big5-tw")
        add(big5, "big5-hkscs big5hkscs big5-hkscs:2004 csbig5hkscs")
        add(safe("EUC-TW"), "euc-tw euctw x-euc-tw cns11643")
        add(shiftJIS, "shift-jis shiftjis sjis x-sjis ms-kanji cp932 cp-932 ms932 windows-31j csshiftjis windows-932")
        add(shiftJIS, "cswindows31j")
        add(eucJP, "euc-jp eucjp x-euc-jp eucjp-ms euc-jp-ms cp51932 eucjpms x-euc")
        add(eucJP, "extended-unix-code-packed-format-for-japanese cseucpkdfmtjapanese")
        add(.iso2022JP, "iso-2022-jp iso2022-jp iso-2022-jp-1 iso-2022-jp-3 iso-2022-jp-ms cp50220 cp50221 cp50222")
        add(.iso2022JP, "csiso2022jp x-iso-2022-jp iso-2022-jp-2004 jis iso2022jp")
        add(iso2022JP2, "iso-2022-jp-2 csiso2022jp2")
        add(eucKR, "euc-kr euckr ks-c-5601-1987 ks-c-5601 ks-c-5601-1989 ksc5601 ksc-5601 ksc-5601-1987 cp949 uhc")
        add(eucKR, "ms949 windows-949 korean cseuckr x-windows-949 iso-ir-149 cp51949 5601 csksc56011987")
        add(iso2022KR, "iso-2022-kr csiso2022kr iso2022-kr iso2022kr")
        add(unsafe("UTF-7"), "utf-7 utf7 unicode-1-1-utf-7 csunicode11utf7 csutf7")
        add(unsafe("UTF-16"), "utf-16 utf16 unicode ucs-2 iso-10646-ucs-2 csutf16 csunicode unicode-1-1 csunicode11")
        add(unsafe("UTF-16LE"), "utf-16le utf16le ucs-2le unicodelittle csutf16le")
        add(unsafe("UTF-16BE"), "utf-16be utf16be ucs-2be unicodebig unicodefffe csutf16be")
        add(unsafe("UTF-32"), "utf-32 utf32 ucs-4 iso-10646-ucs-4 csutf32 csucs4")
        add(unsafe("UTF-32LE"), "utf-32le utf32le ucs-4le csutf32le")
        add(unsafe("UTF-32BE"), "utf-32be utf32be ucs-4be csutf32be")
        return table
    }()
}
