import FundCore
import Testing

struct DrivePathTests {
    /// A combining mark makes one character of itself and what stands before it, a slash too.
    @Test(arguments: [
        ["a", "\u{301}b"], ["\u{301}", "\u{20DD}x"], ["a\u{301}", "b"], ["\u{200D}", "\u{FE0F}", "c"], [],
    ])
    func textsAreReadAsTheyAreWritten(names: [String]) throws {
        let path = try #require(DrivePath(names))
        #expect(DrivePath(path.description) == path && DrivePath("/\(path)//") == path)
    }

    @Test func slashesAreNoPartsOfNames() {
        #expect(DrivePath(["a/b"]) == nil && DrivePath(["/\u{301}"]) == nil && DrivePath(["a", ".."]) == nil)
        #expect(DrivePath("a/../b") == nil && DrivePath("./a") == nil && DrivePath("a\0") == nil)
        #expect(DrivePath("//") == .top)
    }

    /// A store may have both names, and each is a file of its own.
    @Test func namesThatLookAlikeAreDifferent() throws {
        let (one, other) = (try #require(DrivePath("caf\u{E9}/a")), try #require(DrivePath("cafe\u{301}/a")))
        #expect(one != other && Set([one, other]).count == 2)
        let folder = try #require(one.parent)
        #expect(one.isWithin(folder) && one.isWithin(one) && one.isWithin(.top))
        #expect(!other.isWithin(folder) && !folder.isWithin(one))
    }
}
