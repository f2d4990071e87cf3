internal import FundCore

extension JSONWriter {
    mutating func field(_ user: User) {
        field("id", user.id)
        field("email", user.email)
        field("name", user.name)
        field("is_disabled", user.isDisabled)
        field("is_administrator", user.isAdministrator)
    }

    mutating func field(_ token: TokenRecord, current: TokenRecord.ID?) {
        field("id", token.id)
        field("kind", token.kind.rawValue)
        field("label", token.label)
        field("created_at", token.createdAt)
        field("expires_at", token.expiresAt)
        field("last_used_at", token.lastUsedAt)
        field("is_current", token.id == current)
    }
}
