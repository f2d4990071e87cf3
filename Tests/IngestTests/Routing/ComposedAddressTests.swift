import FundCore
import Testing

/// Addresses whose letters are encoded in two ways (RFC 6532 §3.1).
struct ComposedAddressTests {
    @Test(arguments: [
        ("jo\u{308}rg@example.com", "j\u{F6}rg@example.com"),
        ("ann@bu\u{308}cher.example", "ann@b\u{FC}cher.example"),
        ("\u{1112}\u{1161}\u{11AB}@example.com", "\u{D55C}@example.com"),
    ])
    func formsOfOneAddressAreOne(_ decomposed: String, _ composed: String) throws {
        let (first, second) = (try #require(EmailAddress(decomposed)), try #require(EmailAddress(composed)))
        #expect(first == second && first.hashValue == second.hashValue)
        #expect(first.description.utf8.elementsEqual(second.description.utf8))
    }

    /// An address that only looks alike, or is only compatible, is another one.
    @Test(arguments: [
        ("\u{212A}im@example.com", "kim@example.com"), ("\u{FF41}nn@example.com", "ann@example.com"),
        ("j\u{F6}rg@example.com", "jorg@example.com"), ("o\u{308}\u{212A}@example.com", "\u{F6}k@example.com"),
        ("\u{FB01}n@example.com", "fin@example.com"),
    ])
    func lookAlikesAreOthers(_ other: String, _ address: String) throws {
        #expect(try #require(EmailAddress(address)) != EmailAddress(other))
    }
}
