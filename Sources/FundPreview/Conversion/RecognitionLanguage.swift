import FundCore

/// A language in which words in pictures are recognised: a model of tesseract(1), `chi_sim` or `eng`.
package struct RecognitionLanguage: Sendable, Hashable {
    package let name: String

    /// Nil for what cannot be the name of a model: letters, digits and `_` of ASCII, at most 32 of them. It becomes a
    /// word of a command line, and a part of the name of a file.
    package init?(_ name: String) {
        let isPlain = name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
        guard (1...32).contains(name.utf8.count), isPlain, name.utf8.first.map(ASCII.isLetter) == true else {
            return nil
        }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    static let simplifiedChinese = RecognitionLanguage(known: "chi_sim")
    private static let traditionalChinese = RecognitionLanguage(known: "chi_tra")
    static let english = RecognitionLanguage(known: "eng")

    /// Languages in which words are recognised when none are named. Chinese before English: the first language decides
    /// in doubt, and the model of Chinese knows Latin letters. The models of both kinds of Chinese take twice the time;
    /// English is in none of them well enough.
    package static func usual(of installed: [RecognitionLanguage]) -> [RecognitionLanguage] {
        let chinese = [simplifiedChinese, traditionalChinese].first(where: installed.contains)
        return [chinese, installed.contains(english) ? english : nil].compactMap(\.self)
    }

    /// The Debian package that has it; nil for a model that Debian does not have.
    package var debianPackage: String? {
        Self.debianNames.contains(name) ? "tesseract-ocr-\(name.replacing("_", with: "-"))" : nil
    }

    /// The models that Debian 12 has as packages.
    package static let debianNames = """
        afr amh ara asm aze aze_cyrl bel ben bod bos bre bul cat ceb ces chi_sim chi_sim_vert chi_tra chi_tra_vert \
        chr cos cym dan deu div dzo ell eng enm epo est eus fao fas fil fin fra frk frm fry gla gle glg grc guj hat \
        heb hin hrv hun hye iku ind isl ita ita_old jav jpn jpn_vert kan kat kat_old kaz khm kir kmr kor kor_vert \
        lao lat lav lit ltz mal mar mkd mlt mon mri msa mya nep nld nor oci ori pan pol por pus que ron rus san sin \
        slk slv snd spa spa_old sqi srp srp_latn sun swa swe syr tam tat tel tgk tha tir ton tur uig ukr urd uzb \
        uzb_cyrl vie yid yor
        """.split(separator: " ").map(String.init)
}
