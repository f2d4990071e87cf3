internal import FundHTTP
internal import FundCore

/// A person's choice of digests, as a form shows it.
enum DigestForm {
    /// In the order in which they are offered.
    private static let choices: [NewsPace] = [.off, .atOnce, .hourly, .daily]
    private static let (on, off) = ("on", "off")

    /// For a template: what can be chosen.
    static func model(of user: User, _ call: PageCall) -> PageModel {
        [
            "news": choices.map {
                PageModel.choice($0.rawValue, call.words("news.\($0.rawValue)"), isChosen: $0 == user.news)
            },
            "hasDesk": user.isAdministrator,
            "desk": [(off, false), (on, true)].map { word, isOn in
                PageModel.choice(word, call.words("deskdigest.\(word)"), isChosen: isOn == user.hasDeskDigest)
            },
        ]
    }

    /// The change of a form; a field that is missing changes nothing. Throws 400 for a word that no form has.
    static func change(in form: FieldText, language: PersonLanguage? = nil) throws -> DigestChange {
        var change = try DigestChange(news: form["news"], desk: nil, language: nil)
        switch form["desk"] {
        case nil: break
        case on: change.desk = true
        case off: change.desk = false
        default: throw RequestError.invalid("desk must be \(on) or \(off)")
        }
        change.language = language
        return change
    }
}
