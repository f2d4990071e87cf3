import FundCore
import Testing

@testable import FundServer

/// The part of Mustache that the templates of the pages are written in.
struct PageTemplateTests {
    private func rendered(_ sources: [String: String], _ model: PageModel, _ language: Language = .en) throws -> String
    {
        let template = try PageTemplate(named: "page", of: sources.mapValues { Array($0.utf8) })
        return String(decoding: try template.render(model, in: language), as: UTF8.self)
    }

    @Test(arguments: [
        ("{{a}}|{{blank}}", "1|"), ("{{#yes}}y{{/yes}}{{#no}}n{{/no}}", "y"), ("{{^yes}}y{{/yes}}{{^no}}n{{/no}}", "n"),
        ("{{^none}}n{{/none}}{{#none}}y{{/none}}", "n"), ("{{#list}}{{b}},{{/list}}", "2,3,"),
        ("{{#list}}{{a}}{{b}} {{/list}}", "12 13 "), ("{{#empty}}y{{/empty}}{{^empty}}n{{/empty}}", "n"),
        ("{{#texts}}<{{.}}>{{/texts}}", "<x><y>"), ("{{#model}}{{a}}{{b}}{{/model}}{{a}}", "921"),
        // An empty text is there, too.
        ("{{#blank}}[{{.}}]{{/blank}}{{^blank}}n{{/blank}}", "[]"), ("{{t.nav_desk}}", "Desk"),
        ("{ {a} } }}", "{ {a} } }}"), ("", ""),
    ])
    func values(source: String, text: String) throws {
        let model: PageModel = [
            "a": "1", "yes": true, "no": false, "list": [["b": "2"], ["b": "3"]] as [PageModel],
            "empty": [] as [PageModel], "texts": ["x", "y"], "blank": "",
            "model": ["a": "9", "b": "2"] as PageModel,
        ]
        #expect(try rendered(["page": source], model) == text)
    }

    /// Tags that are no values take their line with them when they stand alone.
    @Test
    func lines() throws {
        let model: PageModel = ["rows": [["n": "1"], ["n": "2"]] as [PageModel], "yes": true]
        let list = "a\n  {{#rows}}\n- {{n}}\n{{/rows}}\nb\n"
        #expect(try rendered(["page": list], model) == "a\n- 1\n- 2\nb\n")
        #expect(try rendered(["page": "{{#yes}}\nx\n{{/yes}}"], model) == "x\n")
        #expect(try rendered(["page": "a {{#yes}}\nx{{/yes}}\n"], model) == "a \nx\n")
        #expect(try rendered(["page": "{{#yes}}{{^no}}\nx\n{{/no}}\n{{/yes}}\n"], model) == "\nx\n")
        #expect(try rendered(["page": "{{#rows}}\n{{n}}\n{{/rows}}\n"], model) == "1\n2\n")
    }

    @Test
    func templatesWithinTemplates() throws {
        let sources = [
            "page": "{{> head}}\n{{#rows}}{{> row}}{{/rows}}", "head": "<h1>{{a}}</h1>\n", "row": "[{{n}}{{a}}]",
        ]
        let model: PageModel = ["a": "&", "rows": [["n": "1"], ["n": "2", "a": "x"]] as [PageModel]]
        #expect(try rendered(sources, model) == "<h1>&amp;</h1>\n[1&amp;][2x]")
    }

    @Test
    func wordsOfTheReader() throws {
        for language in Language.allCases {
            let text = try rendered(["page": "{{t.nav_desk}}"], [:], language)
            #expect(text == String(decoding: Words(language: language)("nav.desk").escapedMarkup, as: UTF8.self))
        }
    }

    /// A pile of combining marks takes browsers quadratic time.
    @Test
    func pilesOfMarksAreDivided() throws {
        let text = "<a" + String(repeating: "\u{301}\u{316}", count: 1000)
        let page = try rendered(["page": "{{text}}"], ["text": text])
        #expect(page.utf8.starts(with: "&lt;a".utf8) && page.unicodeScalars.count { $0 == "\u{25CC}" } == 15)
        #expect(text.escapedCount == page.utf8.count)
        let words = Words(language: .en)
        #expect(words.wholeSubject(text) == text && words.subject(text).utf8.count < 510)
        #expect(words.title(text, of: .note).utf8.count < 510 && words.sender(text, nil).utf8.count < 510)
        #expect(words.subject("short") == "short" && words.subject("") == "(no subject)")
    }

    /// A misspelt name is found when the program starts, not by a reader.
    @Test(arguments: [
        "{{a", "{{#a}}", "{{#a}}{{/b}}", "{{/a}}", "{{t.no_such_word}}", "{{{a}}}", "{{&a}}", "{{! note}}",
        "{{=<% %>=}}", "{{}}", "{{a b}}", "{{a.b}}", "{{> none}}", "{{> page}}", "{{> other}}",
    ])
    func malformed(source: String) {
        #expect(throws: PageTemplateError.self, "\(source)") {
            try rendered(["page": source, "other": "{{> page}}"], [:])
        }
    }

    /// A value that no view gave fails the page, and says where.
    @Test(arguments: ["{{none}}", "{{#rows}}{{none}}{{/rows}}", "{{> row}}", "{{yes}}{{none}}", "{{rows}}"])
    func missingValues(source: String) throws {
        let model: PageModel = ["rows": [["n": "1"]] as [PageModel], "yes": true]
        let error = try #require(throws: PageTemplateError.self, "\(source)") {
            try rendered(["page": source, "row": "{{none}}"], model)
        }
        #expect(error.template == "page" && ["none", "yes", "rows"].contains(error.tag))
        #expect(throws: PageTemplateError.self) { try PageTemplates().render("no template", model, in: .en) }
    }

    @Test(arguments: [
        ("<a href='\"&", "&lt;a href=&#39;&quot;&amp;"), ("{{csrf}}", "{{csrf}}"), ("季度\u{202E}", "季度\u{202E}"),
        // Marks that make one character with what stands before or behind them.
        ("\"\u{0301}<\u{0301}", "&quot;\u{0301}&lt;\u{0301}"), ("\u{0600}<", "\u{0600}&lt;"), ("", ""),
    ])
    func escapes(value: String, text: String) throws {
        #expect(try rendered(["page": "{{a}}"], ["a": value]).utf8.elementsEqual(text.utf8))
    }
}
