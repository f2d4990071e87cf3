import TestSupport
import Testing

@testable import FundCore

struct MarkupReaderTests {
    @Test func readsNamesAndText() throws {
        let root = try MarkupReader.read(
            Array(
                #"""
                <?xml version="1.0" encoding="utf-8"?><!-- c --><?pi x?>
                <a xmlns="urn:1" xmlns:p="urn:2" p:x='1' y="2"><p:b>t&lt;&#x41;&#66;</p:b>\#
                <c xmlns=""><![CDATA[<&]]></c></a>
                """#.utf8))
        #expect(root.name == MarkupName(namespace: "urn:1", local: "a"))
        #expect(
            root.attributes.map(\.name) == [.init(namespace: "urn:2", local: "x"), .init(namespace: "", local: "y")])
        #expect(root.elements.map(\.name) == [.init(namespace: "urn:2", local: "b"), .init(namespace: "", local: "c")])
        #expect(root.elements.map(\.text) == ["t<AB", "<&"])
    }

    private static let refused = [
        "", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>x", "<a x=1/>", "<a x='1' x='2'/>", "<a x='<'/>",
        "<a x='1'y='2'/>",
        "<a>&b;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#x110000;</a>", "<a>&#99999999999;</a>", "<a>&#+65;</a>",
        "<a>&amp</a>", "<a>]]></a>", "<a><!-- -- --></a>", "<a><![CDATA[x</a>", "<a>\u{1}</a>", "<a>\u{FFFE}</a>",
        "<1a/>", "<-/>", "<\u{200D}a/>", "<a\u{200D}/>", "<a b\u{200C}='1'/>", "<a xmlns:p\u{200D}='u'/>", "<a:/>",
        "<:a/>", "<a:b:c xmlns:a='u'/>", "<p:a/>", "<a p:x='1'/>", "<a xmlns:p=''/>",
        "<a xmlns:xmlns='u'/>", "<a xmlns:xml='u'/>", "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
        "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns:p='u' xmlns:q='u' p:x='1' q:x='2'/>", "<a/><?xml version='1.0'?>", "<a><?XML x?></a>",
        "<?xml version='1.0' encoding='iso-8859-1'?><a/>", "<?xml version='1.0' encoding='utf-16'?><a/>",
        "<!DOCTYPE a><a/>", "<?xml version='1.0'?>\n<!-- x --><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "<a><!DOCTYPE b></a>", "<!ENTITY x 'y'><a/>",
        "<\(marks(32))/>", "<a \(marks(32))='1'/>", "<a xmlns:\(marks(32))='u'/>", "<a xmlns='\(marks(32))'/>",
        "<a xmlns:p='\(marks(32))'/>",
    ]

    @Test(arguments: refused)
    func refuses(_ text: String) {
        #expect(throws: MarkupError.self) { try MarkupReader.read(Array(text.utf8)) }
    }

    /// The bomb that doubles ten times: refused at its first line, in no time.
    @Test func refusesEntities() {
        var bomb = "<!DOCTYPE l [<!ENTITY a0 \"ha\">"
        for level in 1...30 { bomb += "<!ENTITY a\(level) \"&a\(level - 1);&a\(level - 1);\">" }
        #expect(throws: MarkupError(reason: "a document type definition is not accepted")) {
            try MarkupReader.read(Array((bomb + "]><l>&a30;</l>").utf8))
        }
    }

    @Test func boundsDepthElementsAndNamespaces() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
        }
        _ = try MarkupReader.read(nested(MarkupReader.maxDepth))
        #expect(throws: MarkupError.self) { try MarkupReader.read(nested(MarkupReader.maxDepth + 1)) }
        #expect(throws: MarkupError.self) { try MarkupReader.read(nested(100_000)) }
        func wide(_ count: Int) -> [UInt8] { Array("<a>\(String(repeating: "<b/>", count: count))</a>".utf8) }
        _ = try MarkupReader.read(wide(MarkupReader.maxElements - 1))
        #expect(throws: MarkupError.self) { try MarkupReader.read(wide(MarkupReader.maxElements)) }
        // Elements that are not kept may be as many as there are; each of them is bounded.
        var count = 0
        let root = try MarkupReader.read(wide(2 * MarkupReader.maxElements)) { _ in count += 1 }
        #expect(count == 2 * MarkupReader.maxElements && root.elements.isEmpty)
        let inner = [wide(MarkupReader.maxElements - 2), wide(MarkupReader.maxElements - 1)].map { wide in
            Array("<r>".utf8) + wide + Array("<c/></r>".utf8)
        }
        var names: [String] = []
        try MarkupReader.read(inner[0]) { names.append($0.name.local) }
        #expect(names == ["a", "c"])
        #expect(throws: MarkupError.self) { try MarkupReader.read(inner[1]) { _ in } }
        let namespaces = (0...MarkupReader.maxNamespacesInScope).map { " xmlns:p\($0)='u'" }.joined()
        #expect(throws: MarkupError.self) { try MarkupReader.read(Array("<a\(namespaces)/>".utf8)) }
    }

    @Test(arguments: [true, false])
    func readsUTF16(isLittle: Bool) throws {
        let text = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><a>é\u{10330}</a>"
        let bytes = text.utf16.flatMap { unit in
            isLittle ? [UInt8(unit & 255), UInt8(unit >> 8)] : [UInt8(unit >> 8), UInt8(unit & 255)]
        }
        #expect(try MarkupReader.read(bytes).text == "é\u{10330}")
        #expect(throws: MarkupError.self) { try MarkupReader.read(bytes.dropLast()) }
    }

    @Test(arguments: [[0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E], [0x3C, 0xC0, 0x80, 0x2F, 0x3E]] as [[UInt8]])
    func refusesWhatIsNotUTF8(_ bytes: [UInt8]) {
        #expect(throws: MarkupError.self) { try MarkupReader.read(bytes) }
    }

    /// Every byte string that a valid body becomes by losing or changing one byte is read or refused, never trapped on.
    @Test func survivesDamage() {
        let whole = Array(
            "<?xml version='1.0'?><D:a xmlns:D='DAV:' x=\"1\"><D:b>é&#65;<![CDATA[x]]></D:b><!--c--><?d e?></D:a>".utf8)
        for index in whole.indices {
            _ = try? MarkupReader.read(Array(whole[..<index]))
            _ = try? MarkupReader.read(Array(whole[..<index] + whole[(index + 1)...]))
            for byte in [0, 0x3C, 0x3E, 0x26, 0x22, 0x3A, 0x80, 0xFF] as [UInt8] {
                var damaged = whole
                damaged[index] = byte
                _ = try? MarkupReader.read(damaged)
            }
        }
        #expect((try? MarkupReader.read(whole)) != nil)
    }
}
