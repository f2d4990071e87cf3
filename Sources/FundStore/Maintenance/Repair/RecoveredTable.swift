/// The way in which rows of a table come back that could not be read. A row that is missing then, or that a backup has
/// as it was before, must let no one in, give nothing to another person, and send nothing astray: each table says how
/// it is kept from that.
enum RecoveredTable {
    /// Other rows have all that is needed to make the table.
    case derived
    /// The rows of a backup are taken as far as they go, and the rest is made anew: no backup is needed.
    case renewed
    /// The rows come again by themselves: no backup is needed.
    case passing
    /// A backup alone has them.
    case backedUp

    /// Gives the way of a table; one of a later version needs a backup.
    static func of(_ table: String) -> RecoveredTable { all.first { $0.key == table }?.value ?? .backedUp }

    /// Whether nothing but a backup brings the rows back.
    static func needsBackup(_ table: String) -> Bool { of(table) == .backedUp }

    static let all: KeyValuePairs<String, RecoveredTable> = [
        // People who sign in. By `StaleRows`: a person who was disabled, an address of another person now, a token that
        // was revoked, a link for a password that was used.
        "user": .backedUp, "address": .backedUp, "token": .backedUp, "password_reset": .backedUp,
        // By `StaleRows`: a passkey that was removed, a recovery code that was used. A secret of an authenticator app
        // opens nothing without the password.
        "passkey": .backedUp, "code_app": .backedUp, "recovery_code": .backedUp, "factor_notice": .passing,
        // A signed call that was heard could be sent again: by `LostNonces` none of before the repair counts.
        "nonce": .passing,
        // Wrong passwords are counted from the beginning, as after a pause: nothing else opens.
        "login": .passing,
        // Owners. By `StaleRows`, `StaleItems` and `StrayItems`: funds that were given away, and files, folders,
        // mail and notes that were moved, replaced or removed. `row_check` proves rows.
        "fund": .backedUp, "folder": .backedUp, "file": .backedUp, "note": .backedUp, "email": .backedUp,
        "attachment": .backedUp, "blob": .backedUp, "deletion": .backedUp, "row_check": .derived,
        // Who sees a fund: by the owners of funds.
        "fund_member": .derived,
        // By `FundUse`. A limit that is lost is that of the configuration.
        "fund_use": .derived, "user_quota": .renewed,
        // Under which names mail is filed. By `StaleRows`: a rule that was taken back; a name that was taken away finds
        // a fund of the same owner, where checksums are lost, too.
        "fund_alias": .backedUp, "fund_key": .derived, "learnt": .backedUp,
        // Malware. By `StaleScans`: what was found since. A raw message is held by the contents that it repeats, which
        // its record names.
        "quarantine": .renewed, "message_blob": .renewed,
        // Outcomes of mail. By `StaleMisroutes`: filed, put aside or undone since. An act that was undone is not
        // undone again, since its email is gone or the message waits.
        "message": .backedUp, "misroute": .backedUp, "desk_act": .backedUp, "desk_step": .backedUp,
        // Letters that are lost are not sent. By `StaleLetters`: one that waits in the backup may have been sent since.
        "outbox": .passing,
        // By `StaleLetters`: no digest tells of what came before the repair.
        "digest": .passing, "digest_progress": .passing, "digest_item": .passing,
        // Letters that people wrote are shown to their writers, and sent by rows of the outbox alone. One that was
        // removed since comes back.
        "letter": .backedUp, "letter_recipient": .backedUp, "letter_attachment": .backedUp, "letter_item": .backedUp,
        // By `StaleLetters`, none: a file whose sources are lost is held by malware in its own bytes alone.
        "letter_source": .backedUp, "letter_use": .passing,
        // Links that are lost show nothing. By `StaleLinks`: one that was ended since the backup.
        "share_link": .passing, "share_item": .passing, "share_use": .passing,
        // By `StaleRows`: contacts that were changed since. No device takes an older list for a newer one, since the
        // history is another. The people of a user's mail are only offered, and an import is begun again.
        "contact": .backedUp, "contact_list": .backedUp, "contact_import": .passing, "known_address": .passing,
        // Feeds of people's lists. Items are fetched again; which of them were read and starred is lost.
        "news_feed": .backedUp, "news_subscription": .backedUp, "news_offer": .backedUp, "news_forbidden": .backedUp,
        "news_item": .passing, "news_entry": .passing, "news_version": .passing,
        // By `StaleTransfers`: one that waited is not begun again by itself, since it may have been done since. The
        // secrets of a drive that was removed come back to its owner alone; a token that was rotated opens nothing. A
        // watched folder waits for its owner: what the backup does not know of may have been filed.
        "drive": .backedUp, "drive_watch": .backedUp, "drive_watch_file": .passing, "drive_transfer": .passing,
        "drive_transfer_part": .passing, "drive_transfer_file": .passing, "drive_transfer_target": .passing,
        "drive_version": .passing,
        // By `StaleWebhooks`: none sends before its owner has looked at it. The messages are made of the feed.
        "webhook": .backedUp, "webhook_delivery": .passing,
        // Mail of a server is fetched again, and found to be there.
        "mailbox": .backedUp, "delivery": .passing,
        // A client could keep what left with a fund that was given away: it reads everything anew.
        "change": .derived, "change_epoch": .passing, "departure": .backedUp, "feed": .derived,
        "change_epoch_start": .passing, "change_due": .passing,
        // An upload is finished with the rights that its user has then.
        "upload": .passing,
        // A history or a position of before: `LostCounters` makes others. By `fingerprint_key` mail that came before is
        // known again; it never changes.
        "counter": .renewed, "backup_state": .backedUp, "fingerprint_key": .backedUp,
        // Migrations that ran: one that runs again fails, and changes nothing.
        "grdb_migrations": .backedUp,
        // These open nothing: where a record stands, what is to be removed from the disk, what was found and seen, and
        // what is only shown.
        "segment": .derived, "dead_record": .derived, "search_item": .derived,
        // Segments whose files are gone are found by these alone. An object that the backup does not know stays.
        "segment_object": .backedUp,
        "favourite": .backedUp, "property": .backedUp, "visit": .backedUp, "audit": .backedUp, "health": .passing,
    ]
}
