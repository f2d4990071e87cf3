/// Digests are 32-byte blobs, times seconds since 1970. What must happen once is unique here, not in the code's memory.
enum Schema {
    /// "FnMl": tells our database from others.
    static let applicationID: Int32 = 0x466E_4D6C

    static var migrations: Migrations {
        var migrations = Migrations()
        migrations.add("1") { db in
            let scripts = [
                PeopleSchema.script, LogSchema.script, MailSchema.script, LibrarySchema.script, DeskSchema.script,
                HealthSchema.script,
            ]
            for script in scripts { try db.run(script: script) }
            try ChangeEpochs.beginFirst(db)
            try StoreIdentity.give(db)
            try db.run(script: "PRAGMA application_id = \(applicationID)")
        }
        migrations.add("2") { try $0.run(script: QuarantineSchema.script) }
        migrations.add("3") { try $0.run(script: UploadSchema.script) }
        migrations.add("4") { db in
            try db.run(script: AddedColumns.fingerprintKey)
            try StoreFingerprints.begin(db)
        }
        migrations.add("5") { try $0.run(script: MessageIDIndex.script) }
        migrations.add("6") { db in
            try db.run(script: LogPositionSchema.script)
            try LogPosition.begin(db)
        }
        migrations.add("7") { db in
            try StoreFingerprints.markEarlier(db)
            try db.run(script: AddedColumns.formerNames)
            try db.run(script: AddedColumns.relays)
        }
        migrations.add("8") { db in
            try db.run(script: UploadSchema.times)
            try StoreHistory.give(db)
        }
        migrations.add("9") { try $0.run(script: RowCheckSchema.script) }
        migrations.add("10") { try $0.run(script: SecondFactorSchema.script) }
        migrations.add("11") { try $0.run(script: LibrarySchema.contents) }
        migrations.add("12") { try $0.run(script: AddedColumns.keptFiles) }
        migrations.add("13") { try $0.run(script: OutboxSchema.script) }
        migrations.add("14") { try $0.run(script: DigestSchema.script) }
        migrations.add("15") { try $0.run(script: LetterSchema.script) }
        migrations.add("16") { try $0.run(script: ShareLinkSchema.script) }
        migrations.add("17") { try $0.run(script: ContactSchema.script) }
        migrations.add("18") { try $0.run(script: ShareLinkSchema.funds) }
        migrations.add("19") { try $0.run(script: NewsSchema.script) }
        migrations.add("20") { try $0.run(script: DigestSchema.items) }
        migrations.add("21") { try $0.run(script: LetterSchema.sources) }
        migrations.add("22") { try OutboxSchema.dropMarkIndex($0) }
        migrations.add("23") { try $0.run(script: DriveSchema.script) }
        migrations.add("24") { try $0.run(script: DriveSchema.watches) }
        migrations.add("25") { try $0.run(script: DriveSchema.accounts) }
        migrations.add("26") { try $0.run(script: MemberSchema.script) }
        migrations.add("27") { db in
            try FeedSchema.update(db)
            try ChangeEpochs.begin(db)
        }
        return migrations
    }
}
