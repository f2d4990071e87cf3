internal import FundCore

extension JSONWriter {
    /// The members that `fundmail quarantine list --json` has, with times as numbers.
    mutating func field(_ content: QuarantinedContent) {
        field("sha256", content.digest.hex)
        field("malware", content.malware)
        field("found_at", content.foundAt)
        field("released_at", content.releasedAt)
        field("released_by", content.releasedBy)
        field("places", content.places) { json, place in
            json.object {
                $0.field("owner", place.owner)
                $0.field("fund", place.fund)
                $0.field("name", place.name)
                $0.field("sender", place.sender)
            }
        }
    }
}
