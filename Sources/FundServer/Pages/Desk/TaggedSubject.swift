internal import FundCore

/// A subject with the tag set off that the rules looked at.
struct TaggedSubject {
    let model: PageModel

    init(_ record: MisrouteRecord, _ words: Words) {
        let subject = words.subject(record.subject)
        guard let tag = record.tag,  // By bytes: a mark behind a bracket makes another character of it.
            let range = subject.utf8.firstRange(of: "[\(tag)]".utf8)
        else {
            model = ["before": subject]
            return
        }
        model = [
            "before": String(subject[..<range.lowerBound]), "tag": tag,
            "after": String(subject[range.upperBound...]),
        ]
    }
}
