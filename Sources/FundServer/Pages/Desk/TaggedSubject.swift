internal import FundCore

/// A subject with the tag set off that the rules looked at.
struct TaggedSubject {
    let model: PageModel

    /// - Parameters:
    ///   - hidesTag: where the cause above the row names the tag already.
    ///   - isWhole: where the message is opened.
    init(_ record: MisrouteRecord, _ words: Words, hidesTag: Bool = false, isWhole: Bool = false) {
        let subject = isWhole ? words.wholeSubject(record.subject) : words.subject(record.subject)
        guard let tag = record.tag,  // By bytes: a mark behind a bracket makes another character of it.
            let range = subject.utf8.firstRange(of: "[\(tag)]".utf8)
        else {
            model = ["before": subject]
            return
        }
        let rest = subject[range.upperBound...].drop { $0 == " " }
        if hidesTag, range.lowerBound == subject.startIndex, !rest.isEmpty {
            model = ["before": String(rest)]
            return
        }
        model = [
            "before": String(subject[..<range.lowerBound]), "tag": tag,
            "after": String(subject[range.upperBound...]),
        ]
    }
}
