/// Digests are 32-byte blobs, times seconds since 1970. What must happen once is unique here, not in the code's memory.
enum Schema {
    /// "FnMl": tells our database from others.
    static let applicationID: Int32 = 0x466E_4D6C

    static var migrations: Migrations {
        var migrations = Migrations()
        migrations.add("1", "tables of people, funds, mail and files") { db in
            let scripts = [
                PeopleSchema.script, LogSchema.script, MailSchema.script, LibrarySchema.script, DeskSchema.script,
                HealthSchema.script,
            ]
            for script in scripts { try db.run(script: script) }
            try ChangeEpochs.beginFirst(db)
            try StoreIdentity.give(db)
            try db.run(script: "PRAGMA application_id = \(applicationID)")
        }
        migrations.add("2", "quarantine") { try $0.run(script: QuarantineSchema.script) }
        migrations.add("3", "uploads that can be resumed") { try $0.run(script: UploadSchema.script) }
        migrations.add("4", "a key for fingerprints") { db in
            try db.run(script: AddedColumns.fingerprintKey)
            try StoreFingerprints.begin(db)
        }
        migrations.add("5", "an index of Message-IDs") { try $0.run(script: MessageIDIndex.script) }
        migrations.add("6", "the position in the log") { db in
            try db.run(script: LogPositionSchema.script)
            try LogPosition.begin(db)
        }
        migrations.add("7", "former names of funds, and relays") { db in
            try StoreFingerprints.markEarlier(db)
            try db.run(script: AddedColumns.formerNames)
            try db.run(script: AddedColumns.relays)
        }
        migrations.add("8", "the history of the store") { db in
            try db.run(script: UploadSchema.times)
            try StoreHistory.give(db)
        }
        migrations.add("9", "checksums of rows") { try $0.run(script: RowCheckSchema.script) }
        migrations.add("10", "second factors") { try $0.run(script: SecondFactorSchema.script) }
        migrations.add("11", "an index of versions of files") { try $0.run(script: LibrarySchema.contents) }
        migrations.add("12", "counts of files of kept mail") { try $0.run(script: AddedColumns.keptFiles) }
        migrations.add("13", "letters that go out") { try $0.run(script: OutboxSchema.script) }
        migrations.add("14", "digests") { try $0.run(script: DigestSchema.script) }
        migrations.add("15", "letters that people write") { try $0.run(script: LetterSchema.script) }
        migrations.add("16", "share links") { try $0.run(script: ShareLinkSchema.script) }
        migrations.add("17", "contacts") { try $0.run(script: ContactSchema.script) }
        migrations.add("18", "funds of share links") { try $0.run(script: ShareLinkSchema.funds) }
        migrations.add("19", "news") { try $0.run(script: NewsSchema.script) }
        migrations.add("20", "items of digests") { try $0.run(script: DigestSchema.items) }
        migrations.add("21", "sources of letters") { try $0.run(script: LetterSchema.sources) }
        migrations.add("22", "letters that go out, without an index", rewrites: true) { db in
            try OutboxSchema.dropMarkIndex(db)
        }
        migrations.add("23", "cloud drives") { try $0.run(script: DriveSchema.script) }
        migrations.add("24", "watched folders") { try $0.run(script: DriveSchema.watches) }
        migrations.add("25", "accounts of cloud drives") { try $0.run(script: DriveSchema.accounts) }
        migrations.add("26", "members of funds") { try $0.run(script: MemberSchema.script) }
        migrations.add("27", "a change feed for each person", rewrites: true) { db in
            try FeedSchema.update(db)
            try ChangeEpochs.begin(db)
        }
        migrations.add("28", "limits of people's files") { try $0.run(script: StorageSchema.script) }
        migrations.add("29", "webhooks") { try $0.run(script: WebhookSchema.script) }
        migrations.add("30", "the reach of app passwords") { try $0.run(script: AddedColumns.tokenReach) }
        migrations.add("31", "checksums of the reach of app passwords", rewrites: true) { db in
            try db.run(script: RowCheckSchema.tokenReach)
        }
        migrations.add("32", "segments in an object store") { try $0.run(script: ObjectSchema.script) }
        return migrations
    }
}
