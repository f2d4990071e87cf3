import FundCore

extension CharsetDecoder {
    /// Bytes that are looked at for a guess; a sample is enough, and hostile mail has many fields.
    private static let sampleBytes = 2048

    /// The charset that `bytes` are most likely in: UTF-8 when valid, else the declared one when they are valid in it,
    /// else the one in which most of the 8-bit text is frequent letters of its language.
    func guess(_ bytes: [UInt8], declared: Charset?) -> Charset {
        if Self.isASCII(bytes) {
            return EscapedCharset.told(by: bytes) ?? (bytes.contains(.escape) ? .iso2022JP : .ascii)
        }
        if String(validating: bytes, as: UTF8.self) != nil { return .utf8 }
        if let declared, declared != .utf8, declared != .ascii, isValid(bytes, in: declared) { return declared }
        let sample = Array(bytes.prefix(Self.sampleBytes))
        var best: (charset: Charset, score: Double) = (.windows1252, Self.latinScore(sample))
        func consider(_ charset: Charset, _ score: Double) {
            if score > best.score { best = (charset, score) }
        }
        for language in GuessedLanguage.all {
            guard bytes.count > Self.sampleBytes || isValid(sample, in: language.charset) else { continue }
            consider(language.charset, language.score(sample, frequent: codes(of: language)))
        }
        for (charset, letters) in GuessedLanguage.singleByte {
            consider(charset, singleByteScore(sample, charset: charset, frequent: letters))
        }
        return best.charset
    }

    private func codes(of language: GuessedLanguage) -> Set<UInt16> {
        if let known = frequentCodes[language.charset] { return known }
        guard case .iconv(let name, _) = language.charset else { return [] }
        let encoded = encode(language.frequent, as: name)
        var codes: Set<UInt16> = []
        for index in stride(from: 0, to: encoded.count - encoded.count % 2, by: 2) {
            codes.insert(UInt16(encoded[index]) << 8 | UInt16(encoded[index + 1]))
        }
        frequentCodes[language.charset] = codes
        return codes
    }

    /// Western text: single accented letters between ASCII ones, and punctuation of windows-1252.
    private static func latinScore(_ bytes: [UInt8]) -> Double {
        var (score, high) = (0.0, 0.0)
        for index in bytes.indices where bytes[index] >= 128 {
            high += 1
            let before = index > 0 ? bytes[index - 1] : .space
            let after = index + 1 < bytes.count ? bytes[index + 1] : .space
            let isAlone = before < 128 && after < 128
            let touchesLetter = ASCII.isLetter(before) || ASCII.isLetter(after)
            if bytes[index] >= 0xC0, isAlone, touchesLetter { score += 0.9 } else if isAlone { score += 0.6 }
            if !isAlone { score += 0.1 }
        }
        return high == 0 ? 0 : score / high
    }

    private func singleByteScore(_ bytes: [UInt8], charset: Charset, frequent: Set<Unicode.Scalar>) -> Double {
        let (text, defects) = { ($0.text, $0.defects) }(decode(bytes, as: charset))
        guard defects.isEmpty else { return 0 }
        var (score, high, wasLower) = (0.0, 0.0, false)
        for scalar in text.unicodeScalars {
            defer { wasLower = scalar.properties.isLowercase }
            guard scalar.value >= 128 else { continue }
            high += 1
            if frequent.contains(scalar) {
                score += 0.95
            } else if scalar.properties.isUppercase, wasLower {
                score -= 0.5
            } else if scalar.properties.isAlphabetic {
                score += 0.5
            }
        }
        return high == 0 ? 0 : score / high - 0.05
    }
}

/// Signs that tell the text of a two-byte charset from that of another.
struct GuessedLanguage {
    let charset: Charset
    let frequent: String
    /// Lead bytes of the rows where the ordinary characters of the language stand.
    let commonLeads: [ClosedRange<UInt8>]
    /// The lowest trail byte that ordinary characters have.
    let lowestTrail: UInt8

    /// Points for each 8-bit byte, from −1 to 1.
    func score(_ bytes: [UInt8], frequent codes: Set<UInt16>) -> Double {
        var (score, high, index) = (0.0, 0.0, 0)
        while index < bytes.count {
            let lead = bytes[index]
            index += 1
            guard lead >= 128 else { continue }
            high += 1
            if charset == .shiftJIS, (0xA1...0xDF).contains(lead) {
                score -= 0.2
                continue
            }
            guard index < bytes.count else { break }
            let trail = bytes[index]
            index += 1
            high += trail >= 128 ? 1 : 0
            let weight = trail >= 128 ? 2.0 : 1.0
            if codes.contains(UInt16(lead) << 8 | UInt16(trail)) {
                score += weight
            } else if commonLeads.contains(where: { $0.contains(lead) }), trail >= lowestTrail {
                score += weight * 0.55
            } else {
                score -= weight * 0.2
            }
        }
        return high == 0 ? 0 : score / high
    }

    static let all: [GuessedLanguage] = [
        GuessedLanguage(
            charset: .gb18030,
            frequent:
                "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起"
                + "还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其"
                + "种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由"
                + "却代军产入先山五太水万市基金报告季度附件邮件通知合同财务投资股份有限管理净值周月年度测试文件绩简历转发回复答，。、：；（）《》",
            commonLeads: [0xB0...0xD7, 0xA3...0xA3], lowestTrail: 0xA1),
        GuessedLanguage(
            charset: .big5,
            frequent:
                "的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可里後小麼心多天而能好都然沒日於起"
                + "還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其"
                + "種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由"
                + "基金報告季度附件郵件通知合約財務投資股份有限管理淨值轉寄回覆測試檔案，。、：；（）",
            commonLeads: [0xA4...0xC6], lowestTrail: 0x40),
        GuessedLanguage(
            charset: .shiftJIS, frequent: japanese, commonLeads: [0x82...0x83, 0x88...0x97], lowestTrail: 0x40),
        GuessedLanguage(
            charset: .eucJP, frequent: japanese, commonLeads: [0xA4...0xA5, 0xB0...0xCF], lowestTrail: 0xA1),
        GuessedLanguage(
            charset: .eucKR,
            frequent:
                "이다는의에을가고하은를지로한서도기사자들리어그나시인아있대수일전해정라보부구니스것만으주제장원안상동면여오우공소게세비조적성신국"
                + "유거관연과문요미화위마경방무회재실발내문서펀드보고분기안녕하세요메일첨부파일금융투자계약월년", commonLeads: [0xB0...0xC8],
            lowestTrail: 0xA1),
    ]

    private static let japanese =
        "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐげござじずぜぞだでどばびぶべぼっゃゅょ"
        + "アイウエオカキクケコサシスセソタチツテトナニネノハヒフホマミムメモヤユヨラリルレロワンガギグゴザジズダデドバビブボパピプポッャュョー"
        + "日本語件名報告書添付資料年月会社電話御中様送信確認お願致第四半期決算投資信託、。「」（）"

    static let singleByte: [(Charset, Set<Unicode.Scalar>)] = [
        (.iconv("CP1251", asciiSafe: true), letters("оеаинтсрвлкмдпуяОЕАИНТСРВЛКМДПФЗЯ")),
        (.iconv("KOI8-R", asciiSafe: true), letters("оеаинтсрвлкмдпуяОЕАИНТСРВЛКМДПФЗЯ")),
        (.iconv("CP1253", asciiSafe: true), letters("αοιετσνηυρκπμςάέήίόύώΑΟΙΕΤΣΝΚΠΜΈ")),
        (.iconv("CP1255", asciiSafe: true), letters("יוהאלתרמשבנדכח")),
        (.iconv("CP874", asciiSafe: true), letters("านรกอเงมยลวดทตสีิ่้ะัไ")),
    ]

    private static func letters(_ text: String) -> Set<Unicode.Scalar> { Set(text.unicodeScalars) }
}
