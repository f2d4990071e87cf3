import Testing

@testable import FundServer

/// Names in lines that may be too short for them, and the marks of people.
struct ShownNameTests {
    @Test(arguments: [
        ("report.pdf", "report", ".pdf"), ("a.tar.gz", "a.tar", ".gz"), ("notes", "notes", ""),
        (".profile", ".profile", ""), ("x.", "x.", ""), ("王伟.docx", "王伟", ".docx"), ("", "", ""),
        ("archive.averylongending", "archive.averylongending", ""),
    ])
    func stemAndEnding(name: String, stem: String, ending: String) {
        let shown = ShownName(name)
        #expect(shown.stem == stem && shown.ending == ending)
    }

    @Test(arguments: [
        ("Ann Archer", "AA"), ("ann.archer@example.com", "AA"), ("王伟", "王"), ("bo@example.com", "B"), ("Jörg", "J"),
        ("", "?"), ("@example.com", "?"), ("Ann 王", "A"),
    ])
    func initials(name: String, initials: String) {
        #expect(Initials.text(of: name) == initials)
        #expect(Initials.hue(of: name) == Initials.hue(of: name.uppercased()))
    }
}
