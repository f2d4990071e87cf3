import FundCore
import Testing

@testable import MailParse

/// Dates of feeds, as the standards and as programs write them.
struct FeedDateTests {
    /// 2003-12-31T10:14:55Z
    private static let moment: Int64 = 1_072_865_695

    @Test(arguments: [
        "2003-12-31T10:14:55Z", "2003-12-31T10:14:55+00:00", "2003-12-31T18:14:55+08:00", "2003-12-31T02:14:55-0800",
        "2003-12-31 10:14:55", "2003-12-31t10:14:55.123Z", "20031231T101455Z", "20031231 10:14:55",
        "2003-365T10:14:55Z",
        "03-12-31T10:14:55Z", "Wed, 31 Dec 2003 10:14:55 GMT", "Wed, 31 Dec 2003 05:14:55 EST",
        "31 Dec 2003 10:14:55 +0000", "Wed, 31 Dec 03 10:14:55 GMT", "Wednesday, 31 December 2003 10:14:55 GMT",
        "Wed Dec 31 10:14:55 2003", "Wed, 31 Dez 2003 10:14:55 GMT", "mer., 31 déc. 2003 10:14:55 +0000",
        "31-Dec-2003 10:14:55 GMT", "12/31/2003 10:14:55", "31/12/2003 10:14:55", "1072865695", "1072865695000",
        "2003년 12월 31일 오후 7:14:55", "2003年12月31日 18:14:55", "  2003-12-31T10:14:55Z\n",
    ])
    func readsWhatProgramsWrite(text: String) {
        #expect(FeedDate.time(text)?.rawValue == Self.moment, "\(text)")
    }

    @Test(
        arguments: [
            ("2003", 1_041_379_200), ("2003-12", 1_070_236_800), ("2003-12-31", 1_072_828_800),
            ("2003-335", 1_070_236_800),
            ("20031231", 1_072_828_800), ("31 Dec 2003", 1_072_828_800), ("2003-12-31T24:00:00Z", 1_072_915_200),
            ("Thu, 01 Jan 2004 19:48:21 GMT", 1_072_986_501), ("01 Jan 70 00:00 GMT", 0),
        ] as [(String, Int64)])
    func readsShortForms(text: String, seconds: Int64) {
        #expect(FeedDate.time(text)?.rawValue == seconds, "\(text)")
    }

    @Test(arguments: [
        "", "yesterday", "2003-13-01", "2003-12-32", "2003-12-31T25:00:00Z", "13/13/2003", "99999999999999999999",
    ])
    func refusesTheRest(text: String) {
        #expect(FeedDate.time(text) == nil, "\(text)")
    }
}
