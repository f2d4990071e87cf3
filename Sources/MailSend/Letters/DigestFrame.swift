/// The parts that all digests have in common.
struct DigestFrame {
    let say: LetterLanguage
    let places: LetterPlaces
    /// Address of the page that ends digests of this kind; nil without TLS.
    let ending: String?

    /// The paragraphs of a digest with the one at its end.
    func finished(_ paragraphs: [String]) -> String {
        var end = [say("Fundmail wrote this letter by itself.", "此信由 Fundmail 自动发送。")]
        if let link = places.link("/account") {
            end.append(say("You choose what you hear of, and how often:", "您可以选择接收的内容和频率：") + "\n\(link)")
        }
        if let ending { end.append(say("To get no more of these letters:", "不再接收此类邮件：") + "\n\(ending)") }
        return (paragraphs + [end.joined(separator: "\n")]).joined(separator: "\n\n") + "\n"
    }

    /// A link below a line of a list; nothing where the address of the pages is unknown.
    func lines(below link: String) -> [String] { places.link(link).map { ["  \($0)"] } ?? [] }
}
