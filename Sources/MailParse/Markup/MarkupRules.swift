import FundCore

/// Which elements and attributes of a mail are kept. All others lose their tags, and those of `skipped` their content,
/// too, as do those whose content is no markup.
enum MarkupRules {
    static let elements: Set<String> = [
        "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "body", "br",
        "caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "dfn", "dir", "div", "dl", "dt", "em",
        "figcaption", "figure", "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "i",
        "img", "ins", "kbd", "li", "main", "mark", "nav", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp",
        "section", "small", "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead",
        "time", "tr", "tt", "u", "ul", "var", "wbr",
    ]
    static let voidElements: Set<String> = ["br", "col", "hr", "img", "wbr"]
    /// Whose tags may be missing, so that those that are open do not tell how deep the elements are.
    static let closedByOthers: Set<String> = [
        "body", "colgroup", "dd", "dt", "html", "li", "p", "rp", "rt", "tbody", "td", "tfoot", "th", "thead", "tr",
    ]
    /// Elements that are dropped with all that is in them, up to their end or to an element that cannot be in them.
    static let skipped: Set<String> = ["datalist", "math", "select", "svg", "template"]
    /// Ends an element of `skipped` whose own end is missing (WHATWG HTML §13.2.6.5).
    static let breakouts: Set<String> = [
        "blockquote", "body", "center", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol",
        "p", "pre", "table", "td", "th", "tr", "ul",
    ]

    /// Attributes of all elements.
    private static let attributes: Set<String> = [
        "abbr", "align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "class", "clear", "color", "cols",
        "colspan", "compact", "datetime", "dir", "face", "frame", "headers", "height", "hspace", "id", "lang",
        "noshade", "nowrap", "reversed", "rowspan", "rules", "scope", "size", "span", "start", "summary", "text",
        "title", "type", "valign", "value", "vspace", "width",
    ]
    /// Elements whose `background` is a picture.
    static let withBackground: Set<String> = ["body", "table", "tbody", "td", "tfoot", "th", "thead", "tr"]

    static func keeps(_ attribute: MarkupTag.Attribute) -> Bool {
        if attribute.name == "role" { return attribute.value == "presentation" || attribute.value == "none" }
        return attributes.contains(attribute.name)
    }
}
