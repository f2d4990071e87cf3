import ChildProcesses
import Foundation
import FundCore
import TestSupport
import Testing

@testable import MailParse

/// Attacks that other mail readers fell for, and malformed markup that browsers repair: the sanitised text holds only
/// elements and attributes that are allowed, and sanitising it again changes nothing.
struct MarkupAttackTests {
    private static let allowedAttributes: Set<String> = [
        "abbr", "align", "alt", "background", "bgcolor", "border", "cellpadding", "cellspacing", "class", "clear",
        "color", "cols", "colspan", "compact", "datetime", "dir", "face", "frame", "headers", "height", "href",
        "hspace", "id", "lang", "noshade", "nowrap", "rel", "reversed", "role", "rowspan", "rules", "scope", "size",
        "span", "src", "start", "style", "summary", "target", "text", "title", "type", "valign", "value", "vspace",
        "width",
    ]
    private static let forbiddenStyle = [
        "url(", "@import", "@font-face", "expression", "var(", "fixed", "sticky", "--", "behavior", "binding",
        "javascript", "<", "\\",
    ]

    /// Checks all that must hold of every result, by other means than those that made it.
    static func check(_ mail: SanitizedMail, _ html: String, isRemote: Bool = false) throws {
        let text = mail.text
        let markup = try StrictMarkup(text)
        for tag in markup.tags where tag != "style" { #expect(MarkupRules.elements.contains(tag), "\(tag) of \(html)") }
        for (element, name, value) in markup.attributes {
            #expect(allowedAttributes.contains(name), "\(name) of \(html)")
            switch name {
            case "href":
                #expect(element == "a")
                #expect(
                    ["https://", "http://", "mailto:", "tel:"].contains { value.hasPrefix($0) }, "\(value) of \(html)")
            case "src", "background":
                let isPicture = ["png", "jpeg", "jpg", "gif", "webp", "avif"].contains {
                    value.hasPrefix("data:image/\($0);base64,")
                }
                #expect(isPicture || (isRemote && value.hasPrefix("https://")), "\(value) of \(html)")
            case "target": #expect(value == "_blank")
            case "rel": #expect(value == "noopener noreferrer")
            case "style": checkStyle(value, html, isRemote)
            default: break
            }
        }
        for style in markup.styles { checkStyle(style, html, isRemote) }
        // Every link opens elsewhere.
        let count = { (name: String) in markup.attributes.count { $0.name == name } }
        #expect(count("href") == count("target") && count("href") == count("rel"))
        // The parent believes no more than this of a child.
        var writer = FrameWriter()
        let frame = mail.write(to: &writer)
        #expect(
            try frame[Frame.lengthBytes...].withBytes { try SanitizedMail(body: $0, pictureCount: 1) } == mail,
            "\(html)"
        )
        let again = MarkupSanitizer.sanitized(HTMLMail(html: text, showsRemotePictures: isRemote))
        if !mail.isCut { #expect(again.text == text, "\(html)") }
    }

    /// Strings are free in what they say.
    private static func checkStyle(_ style: String, _ html: String, _ isRemote: Bool) {
        var bare = ""
        let quote: Character = "\""
        for (index, part) in style.replacing("&quot;", with: "\"").split(
            separator: quote, omittingEmptySubsequences: false
        )
        .enumerated() where index % 2 == 0 {
            bare += part
        }
        for word in forbiddenStyle where !(isRemote && word == "url(") {
            #expect(!bare.lowercased().contains(word), "\(word) in \(bare) of \(html)")
        }
    }

    /// By the number of what was published, or by what it is: a name, a tab, and HTML with pictures of controls.
    static let attacks: [(name: String, html: String)] = {
        let file = URL(fileURLWithPath: PackageRoot.path + "/Fixtures/markup/attacks.tsv")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let signs = ["␀": "\0", "␌": "\u{0C}", "␉": "\t", "␊": "\n", "[RLO]": "\u{202E}"]
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", maxSplits: 1).map(String.init) }
        return lines.map { line in (line[0], signs.reduce(line[1]) { $0.replacing($1.key, with: $1.value) }) } + [
            ("long names", "<" + long("a") + " onclick=x><p " + long("on") + "=y>z"),
            ("many attributes", "<p " + (0..<500).map { "a\($0)=x " }.joined() + "onclick=alert(1)>"),
        ]
    }()

    private static func long(_ text: String) -> String { String(repeating: text, count: 3000) }

    @Test(arguments: attacks.indices)
    func leavesNothingHarmful(index: Int) throws {
        let html = Self.attacks[index].html
        for shows in [false, true] {
            // Also behind and in other markup.
            for html in [
                html, "<table><tr><td>" + html, "<svg>" + html, "<p title='" + html, "<style>" + html, html + html,
            ] {
                try Self.check(sanitized(html, showsRemotePictures: shows), html, isRemote: shows)
            }
        }
        #expect(!sanitized(html).text.contains("evil.example") || html.contains("href=https://evil.example"))
    }

    @Test
    func hasAllAttacks() { #expect(Set(Self.attacks.map(\.name)).count >= 45) }

    // MARK: Mutations

    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let tokens = [
        "<", ">", "\"", "'", "`", "&", ";", "/", "=", "<!--", "-->", "--!>", "<![CDATA[", "]]>", "</", "<svg>",
        "</svg>",
        "<math>", "<style>", "</style>", "<script>", "</script>", "<title>", "</title>", "<a href=", "<img src=",
        " onerror=x ", " style=\"", "{", "}", "(", ")", "url(", "\\", "/*", "*/", "@media ", "@import ", ":",
        "!important",
        "position:fixed", "var(--x)", "--x:", "javascript:", "data:", "&#x3c;", "&lt", "&quot;", "\0", "\r", "\n",
        "\u{0C}",
        "\u{202E}", "é", "\u{0301}", "<select>", "</select>", "<template>", "<table>", "<p>", "<body ", "<xmp>",
        "<plaintext>",
    ].map { Array($0.utf8) }

    /// Rounds of each of the eight tests; `scripts/campaign/markup` sets many.
    private static let rounds = ProcessInfo.processInfo.environment["FUNDMAIL_MARKUP_ROUNDS"].flatMap(Int.init) ?? 150
    private static let firstSeed =
        ProcessInfo.processInfo.environment["FUNDMAIL_MARKUP_SEED"].flatMap(UInt64.init) ?? 20_261_122
    /// Limit of one mutated mail; it is read twice.
    private static let maxMutatedBytes = 16_384

    /// Mutated attacks pass the same checks as the attacks. The output has at most 16 times the length of the input:
    /// quoting takes room, and so does the new text of links and pictures.
    @Test(arguments: 0..<8)
    func leavesNothingOfMutations(seed: Int) throws {
        var generator = Generator(state: Self.firstSeed + UInt64(seed))
        let seeds = Self.attacks.map { Array($0.html.utf8) }
        let pictures = [HTMLMail.Picture(contentID: "x", name: "x", bytes: 1000)]
        for round in 0..<Self.rounds {
            var bytes = seeds[(round + seed) % seeds.count] + (seeds.randomElement(using: &generator) ?? [])
            for _ in 0..<Int.random(in: 1...10, using: &generator) {
                let at = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<20, using: &generator) {
                // A mutation that repeats a part.
                case 0:
                    let part = bytes[at...].prefix(Int.random(in: 1...40, using: &generator))
                    let count = Int.random(in: 0...200, using: &generator)
                    if bytes.count + part.count * count <= Self.maxMutatedBytes {
                        bytes.insert(contentsOf: repeatElement(Array(part), count: count).joined(), at: at)
                    }
                case 1..<4: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
                case 4..<12: bytes.insert(contentsOf: Self.tokens.randomElement(using: &generator) ?? [], at: at)
                case 12..<16: bytes.removeSubrange(at..<min(bytes.count, at + 5))
                default: if at < bytes.count { bytes[at] = UInt8.random(in: 32...126, using: &generator) }
                }
            }
            let html = String(decoding: bytes, as: UTF8.self)
            let isRemote = round % 2 == 0
            let mail = sanitized(html, pictures: pictures, showsRemotePictures: isRemote)
            #expect(mail.text.utf8.count <= 16 * html.utf8.count + 100, "\(html)")
            try Self.check(mail, html, isRemote: isRemote)
        }
    }
}
