import FundCore
import TestSupport
import Testing

@testable import FundServer

struct MarkupWriterTests {
    private static let values: [(value: String, written: String)] = [
        ("plain", "plain"), ("a<b>&\"c", "a&lt;b&gt;&amp;\"c"), ("\r\n", "&#13;\n"),
        ("x\u{0}\u{1B}y", "x\u{FFFD}\u{FFFD}y"),
        ("\u{FFFF}", "\u{FFFD}"), ("文 😀", "文 😀"), ("]]>", "]]&gt;"),
    ]

    @Test(arguments: values)
    func escapes(_ example: (value: String, written: String)) {
        var writer = MarkupWriter(declaring: false)
        writer.escaped(example.value)
        #expect(writer.text == example.written)
    }

    /// Markup that RFC 4918 §4.3 wants kept survives another document.
    @Test(arguments: [
        "<p xmlns='urn:x'>value</p>",
        "<x:p xmlns:x='urn:x' x:a='1' b='&quot;&#10;&#9;'>a<x:q/>b<q xmlns=''>c</q></x:p>",
        "<p/>", "<p><q>&#13;&lt;</q></p>", "<p xml:lang='de-CH'>Grüße</p>",
        "<p xmlns='urn:x' type='x:y' xmlns:x='urn:y'/>",
        "<p>&#65536;</p>", "<e:p xmlns:e='http://example.com/a?b&amp;c'/>",
    ])
    func writesWhatMeansTheSame(_ text: String) throws {
        let property = try MarkupReader.read(Array(text.utf8))
        let outer = "<D:r xmlns:D='DAV:' xmlns='urn:other'>\(property.standalone)</D:r>"
        let again = try #require(try MarkupReader.read(Array(outer.utf8)).elements.first)
        #expect(Self.meaning(again) == Self.meaning(property))
        #expect(again.language == property.language)
        #expect(again.prefix == property.prefix)
        for (prefix, namespace) in property.scope { #expect(again.scope[prefix] == namespace) }
    }

    @Test func bringsNamespacesAndLanguageFromOutside() throws {
        let outer = try MarkupReader.read(
            Array("<a xmlns:z='urn:z' xmlns:q='urn:q' xml:lang='fr'><z:p kind='q:k'>v</z:p></a>".utf8))
        let property = try #require(outer.elements.first)
        #expect(
            property.standalone
                == "<z:p xmlns:q=\"urn:q\" xmlns:z=\"urn:z\" kind=\"q:k\" xml:lang=\"fr\">v</z:p>")
    }

    /// Names, attributes, text and elements, without where namespaces are declared.
    private static func meaning(_ element: MarkupElement) -> String {
        let attributes = element.attributes.filter { $0.name != .language }.map { "\($0.name.key)=\($0.value)" }
            .sorted()
        let children = element.children.map { child in
            switch child {
            case .text(let text): "'\(text)'"
            case .element(let element): meaning(element)
            }
        }
        return "(\(element.name.key) \(attributes) \(children))"
    }
}
