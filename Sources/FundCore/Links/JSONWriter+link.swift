extension JSONWriter {
    /// Writes the members of a link, as the web API and the commands have them.
    /// - Parameters:
    ///   - now: the time for which the state is said.
    ///   - time: writes a member with a time as the interface has it.
    package mutating func link(
        _ opened: OpenedLink, at now: Timestamp, time: (inout JSONWriter, StaticString, Timestamp?) -> Void
    ) {
        let link = opened.link
        field("id", link.id)
        field("owner", opened.owner.email)
        field("state", link.state(at: now).rawValue)
        field("purpose", link.purpose.rawValue)
        field("items", link.items) { json, item in
            json.object {
                $0.field("type", "\(item.kind)")
                $0.field("id", item.number)
            }
        }
        field("label", link.label)
        time(&self, "created_at", link.createdAt)
        time(&self, "expires_at", link.expiresAt)
        time(&self, "revoked_at", link.revokedAt)
        field("has_password", link.hasPassword)
        field("openings", link.openings)
        field("max_openings", link.maxOpenings.map(Int64.init))
        time(&self, "last_opened_at", link.lastOpenedAt)
        field("watermark", link.isWatermarked)
        field("shows_owner", link.showsOwner)
        field("max_files", link.allowance.map { Int64($0.maxFiles) })
        field("max_bytes", link.allowance?.maxBytes)
        field("files", link.received.files)
        field("bytes", link.received.bytes)
    }
}
