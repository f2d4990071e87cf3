/// A kind of entry of the audit trail. Raw values are stored and are part of the web API; what stands before a dot is
/// the group by which lists are filtered.
package enum AuditAction: String, Sendable, Hashable, CaseIterable {
    case userAdd = "user.add"
    case userAddress = "user.address"
    case userAddressRemove = "user.address.remove"
    case userDisable = "user.disable"
    case userEnable = "user.enable"
    case userPassword = "user.password"
    case userQuota = "user.quota"
    case userRename = "user.rename"
    case userReset = "user.reset"
    case userRole = "user.role"
    case userUpdate = "user.update"

    case factorAdd = "factor.add"
    case factorCodes = "factor.codes"
    case factorRecovery = "factor.recovery"
    case factorRefuse = "factor.refuse"
    case factorRemove = "factor.remove"
    case factorRename = "factor.rename"
    case factorReset = "factor.reset"

    case fundAdd = "fund.add"
    case fundAlias = "fund.alias"
    case fundAliasRemove = "fund.alias.remove"
    case fundArchive = "fund.archive"
    case fundDelete = "fund.delete"
    case fundGive = "fund.give"
    case fundRename = "fund.rename"
    case fundRestore = "fund.restore"

    case contactAdd = "contact.add"
    case contactChange = "contact.change"
    case contactDelete = "contact.delete"
    case contactImport = "contact.import"
    case contactRestore = "contact.restore"

    case emailFile = "email.file"

    case misrouteFile = "misroute.file"
    case misrouteForget = "misroute.forget"
    case misrouteLater = "misroute.later"
    case misrouteLearn = "misroute.learn"
    case misrouteOpen = "misroute.open"
    case misroutePurge = "misroute.purge"
    case misrouteReject = "misroute.reject"
    case misrouteSupersede = "misroute.supersede"
    case misrouteUndo = "misroute.undo"

    case tokenAdd = "token.add"
    case tokenRevoke = "token.revoke"

    case outboxDrop = "outbox.drop"
    case outboxRetry = "outbox.retry"
    case outboxServer = "outbox.server"

    case letterDrop = "letter.drop"
    case letterRemove = "letter.remove"
    case letterRetry = "letter.retry"
    case letterSend = "letter.send"

    case linkAdd = "link.add"
    case linkOpen = "link.open"
    case linkRevoke = "link.revoke"
    case linkUpload = "link.upload"

    case newsForbid = "news.forbid"
    case newsOffer = "news.offer"
    case newsWithdraw = "news.withdraw"

    case driveAdd = "drive.add"
    case driveChange = "drive.change"
    case drivePull = "drive.pull"
    case drivePush = "drive.push"
    case driveRemove = "drive.remove"
    case driveRename = "drive.rename"
    case driveUnwatch = "drive.unwatch"
    case driveWatch = "drive.watch"
    case driveWatchChange = "drive.watch.change"
    case driveWatchStop = "drive.watch.stop"

    case webhookAdd = "webhook.add"
    case webhookChange = "webhook.change"
    case webhookRemove = "webhook.remove"
    case webhookSecret = "webhook.secret"
    case webhookStop = "webhook.stop"

    case mailboxAdd = "mailbox.add"
    case mailboxMove = "mailbox.move"
    case mailboxPoll = "mailbox.poll"

    case doctorCheck = "doctor.check"

    case trashDelete = "trash.delete"
    case trashEmpty = "trash.empty"

    case retention

    case storeImport = "store.import"
    case storeRepair = "store.repair"

    case blobCleared = "blob.cleared"
    case blobDamaged = "blob.damaged"
    case blobQuarantined = "blob.quarantined"
    case blobReleased = "blob.released"

    case logAhead = "log.ahead"
    case logLoss = "log.loss"
}
