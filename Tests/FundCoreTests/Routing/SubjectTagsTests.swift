import TestSupport
import Testing

@testable import FundCore

@Suite struct SubjectTagsTests {
    /// A header of 64 KiB.
    @Test func subjectsOfMarksCostLittle() {
        let marks = marks(32_000)
        for subject in ["[\(marks)] x", "Re: \(marks): [Fund1]", marks + "[Fund1]"] {
            var tags: [String] = []
            #expect(processorTime { tags = SubjectTags.read(subject) } < .milliseconds(500))
            #expect(tags == (subject.hasPrefix("[") ? [] : ["Fund1"]))
        }
        #expect(SubjectTags.read("[a\(String(repeating: "\u{301}", count: 600))] [b]") == ["b"])
    }
}
