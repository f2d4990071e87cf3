import FundCore

/// Makes a harmless document of the HTML of a mail: what is on the lists of `MarkupRules` is written anew, and all else
/// is left out. A browser still shows it in a frame of its own, without scripts: this is for what the frame lets
/// through, and for how the mail looks.
struct MarkupSanitizer {
    /// Bytes of the result. Only what is all tags and special characters grows that far beyond its 1 MiB.
    static let maxBytes = 6 << 20
    /// Elements in elements; browsers stop at 512.
    static let maxDepth = 200
    /// Links of one mail; each is compared with its text. Those beyond it lead nowhere.
    static let maxLinks = 20_000
    /// Limit of links that look like one to another place: each gets a sealed address from the server.
    static let maxDisguisedLinks = 2000
    /// Bytes of a link's text that are compared with its target.
    private static let maxLinkTextBytes = 4096

    private let mail: HTMLMail
    private var tokenizer: MarkupTokenizer
    private var writer = MarkupWriter()
    private var context: MarkupContext
    private var pictures: MailPictures
    /// How many elements of a name are open.
    private var open: [String: Int] = [:]
    private var depth = 0
    private var link: OpenLink?
    private var (links, disguisedLinks) = (0, 0)
    /// The element that is dropped with what is in it, and how many of its name are open.
    private var skipped: (name: String, depth: Int)?
    private var isCut = false

    /// A link whose text is not complete.
    private struct OpenLink {
        var target: LinkTarget
        var hole: Int
        var text = ""
    }

    static func sanitized(_ mail: HTMLMail) -> SanitizedMail {
        var sanitizer = MarkupSanitizer(mail)
        sanitizer.run()
        return SanitizedMail(
            pieces: sanitizer.writer.finish(), blockedPictures: sanitizer.context.blockedPictures,
            hasDarkColours: sanitizer.context.hasDarkColours, isCut: sanitizer.isCut)
    }

    private init(_ mail: HTMLMail) {
        self.mail = mail
        tokenizer = MarkupTokenizer(Array(mail.html.utf8))
        context = MarkupContext(showsRemotePictures: mail.showsRemotePictures)
        pictures = MailPictures(mail.pictures)
    }

    private mutating func run() {
        while let token = tokenizer.next() {
            guard writer.count < Self.maxBytes else {
                isCut = true
                break
            }
            switch token {
            case .text(let text):
                guard skipped == nil else { break }
                writer.write(referring: text)
                if link != nil { note(linkText: CharacterReferences.decoded(text, inAttribute: false)) }
            // Text of `script` or `title`; that of `style` is read with its tag.
            case .rawText: break
            case .start(let tag): take(tag)
            case .end(let name): takeEnd(name)
            }
        }
        closeLink()
    }

    // MARK: Tags

    private mutating func take(_ tag: MarkupTag) {
        if let skipped {
            guard MarkupRules.breakouts.contains(tag.name) else {
                if tag.name == skipped.name, !tag.isSelfClosing { self.skipped?.depth += 1 }
                return
            }
            endSkipping()
        }
        if MarkupRules.skipped.contains(tag.name) {
            let isForeign = tag.name == "svg" || tag.name == "math"
            // A slash ends elements of SVG and MathML alone (WHATWG HTML §13.2.6.1).
            if isForeign, tag.isSelfClosing { return }
            skipped = (tag.name, 1)
            tokenizer.isForeign = isForeign
            return
        }
        switch tag.name {
        case "style": takeStyle(tag)
        case "xmp", "plaintext": takePlainText()
        case "meta": takeMeta(tag)
        case "a": takeLink(tag)
        case "img", "image": takePicture(tag)
        case _ where MarkupRules.elements.contains(tag.name):
            guard begin(tag.name) else { break }
            write(tag)
            writer.write(">")
        default: break
        }
    }

    private mutating func takeEnd(_ name: String) {
        if let skipped {
            if name == skipped.name {
                self.skipped?.depth -= 1
                if skipped.depth == 1 { endSkipping() }
            }
            return
        }
        if name == "a" { closeLink() }
        // Text behind them is still the mail.
        guard name != "body", name != "html", let count = open[name], count > 0 else { return }
        open[name] = count - 1
        if !MarkupRules.closedByOthers.contains(name) { depth -= 1 }
        writer.write("</\(name)>")
    }

    private mutating func endSkipping() {
        skipped = nil
        tokenizer.isForeign = false
    }

    /// Counts an element that begins. False when it would lie too deep.
    private mutating func begin(_ name: String) -> Bool {
        guard !MarkupRules.voidElements.contains(name) else { return true }
        if !MarkupRules.closedByOthers.contains(name) {
            guard depth < Self.maxDepth else { return false }
            depth += 1
        }
        open[name, default: 0] += 1
        return true
    }

    /// Name and attributes, but those of which more has to be known. The tag is still open then.
    private mutating func write(_ tag: MarkupTag, name: String? = nil) {
        let name = name ?? tag.name
        writer.write("<\(name)")
        for attribute in tag.attributes {
            if attribute.name == "style" {
                let style = StyleSheet.declarations(attribute.value, &context)
                if !style.isEmpty { writer.write(attribute: "style", style) }
            } else if attribute.name == "background", MarkupRules.withBackground.contains(name) {
                takeSource(attribute.value, as: "background")
            } else if MarkupRules.keeps(attribute) {
                writer.write(attribute: attribute.name, attribute.value)
            }
        }
    }

    // MARK: Elements of which no tag stays

    /// The text behind a start tag whose content is no markup.
    private mutating func rawContent() -> [UInt8] {
        guard case .rawText(let text)? = tokenizer.next() else { return [] }
        return text
    }

    private mutating func takeStyle(_ tag: MarkupTag) {
        let text = String(decoding: rawContent(), as: UTF8.self)
        if let type = tag["type"], !type.isEmpty, ASCII.lowercased(type.utf8) != "text/css" { return }
        let style = StyleSheet.filtered(text, media: tag["media"], &context)
        if !style.isEmpty { writer.write("<style>\(style)</style>") }
    }

    /// Text as it is written, up to its end or to that of the mail.
    private mutating func takePlainText() {
        let text = rawContent()
        guard !text.isEmpty else { return }
        writer.write("<pre>")
        writer.write(text: text)
        writer.write("</pre>")
    }

    private mutating func takeMeta(_ tag: MarkupTag) {
        let name = tag["name"].map { ASCII.lowercased($0.utf8) }
        guard name == "color-scheme" || name == "supported-color-schemes" else { return }
        let schemes = ASCII.lowercased((tag["content"] ?? "").utf8).split { $0 == " " || $0 == "," }
        if schemes.contains("dark") { context.hasDarkColours = true }
    }

    // MARK: Links

    private mutating func takeLink(_ tag: MarkupTag) {
        // A link ends where another begins (WHATWG HTML §13.2.6.4.7).
        takeEnd("a")
        guard begin("a") else { return }
        write(tag)
        if let target = tag["href"].flatMap({ LinkTarget($0) }) {
            links += 1
            if links <= Self.maxLinks {
                link = OpenLink(target: target, hole: writer.openHole())
            } else {
                isCut = true
            }
        }
        writer.write(">")
    }

    /// Blanks count once, however many there are: nothing is pushed out of what is compared.
    private mutating func note(linkText: String) {
        guard let known = link?.text.utf8, known.count < Self.maxLinkTextBytes else { return }
        var more = ShownHosts.readable(linkText, atMost: Self.maxLinkTextBytes - known.count)
        // Each may stand in an element of its own.
        if known.last ?? .space == .space, more.utf8.first == .space { more.unicodeScalars.removeFirst() }
        link?.text += more
    }

    private mutating func closeLink() {
        guard let link else { return }
        self.link = nil
        let shownHost = ShownHosts.other(in: link.text, than: link.target)
        let isPlain = link.target.warnings(shownHost: shownHost).isEmpty
        if !isPlain { disguisedLinks += 1 }
        guard isPlain || disguisedLinks <= Self.maxDisguisedLinks else {
            isCut = true
            return
        }
        writer.fill(
            link.hole, .markup(" href=\""),
            isPlain
                ? .markup(MarkupWriter.escaped(link.target.address))
                : .link(DisguisedLink(target: link.target, shownHost: shownHost)),
            .markup("\" target=\"_blank\" rel=\"noopener noreferrer\""))
    }

    // MARK: Pictures

    private mutating func takePicture(_ tag: MarkupTag) {
        if let alt = tag["alt"] { note(linkText: " " + alt + " ") }
        if let source = tag["src"], case .tooMuch(let name) = pictures.find(source) {
            // Named in its place.
            let text = tag["alt"].flatMap { $0.isEmpty ? nil : $0 } ?? name
            guard !text.isEmpty else { return }
            writer.write("<span style=\"border:1px solid;border-radius:4px;padding:2px 6px\">")
            writer.write(text: text.utf8)
            writer.write("</span>")
            return
        }
        write(tag, name: "img")
        if let source = tag["src"] {
            takeSource(source, as: "src")
        } else if let set = tag["srcset"] {
            _ = context.pictureAddress(set, isShowable: false)
        }
        writer.write(">")
    }

    /// Writes the attribute if the picture is one of the mail, or of another server and shown.
    private mutating func takeSource(_ source: String, as name: String) {
        switch pictures.take(source) {
        case .attachment(let index):
            writer.write(" \(name)=\"data:")
            writer.write(.picture(index))
            writer.write("\"")
        case .data(let address): writer.write(attribute: name, address)
        case .tooMuch: break
        case .none:
            if let address = context.pictureAddress(source) { writer.write(attribute: name, address) }
        }
    }
}
