import Testing

@testable import FundServer

/// The marks of people.
struct InitialsTests {
    @Test(arguments: [
        ("Ann Archer", "AA"), ("ann.archer@example.com", "AA"), ("王伟", "王"), ("bo@example.com", "B"), ("Jörg", "J"),
        ("", "?"), ("@example.com", "?"), ("Ann 王", "A"),
    ])
    func initials(name: String, initials: String) {
        #expect(Initials.text(of: name) == initials)
        #expect(Initials.hue(of: name) == Initials.hue(of: name.uppercased()))
    }
}
