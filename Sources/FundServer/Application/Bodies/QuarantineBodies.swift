internal import FundCore

extension JSONWriter {
    /// The members that `fundmail quarantine list --json` has, with times as numbers.
    mutating func field(_ content: QuarantinedContent) {
        field("sha256", content.digest.hex)
        field("malware", content.malware)
        field("found_at", content.foundAt)
        field("released_at", content.releasedAt)
        field("released_by", content.releasedBy)
        objects("places", content.places) { json, place in
            json.field("owner", place.owner)
            json.field("fund", place.fund)
            json.field("name", place.name)
            json.field("sender", place.sender)
        }
    }
}
