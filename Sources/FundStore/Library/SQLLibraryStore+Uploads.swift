package import FundCore

/// Uploads that can be resumed: their files are `KeptUpload`, their rows `UploadRows`.
extension SQLLibraryStore {
    package func beginUpload(_ order: UploadOrder, of user: User.ID) async throws -> any OpenUpload {
        let operation = "begin an upload"
        return try await connection.queues.upload.run { [connection, log] in
            let name = try connection.read(operation) { db in
                let change = LibraryChange(db: db, user: user, limits: connection.storageLimits)
                let (name, fund) = try change.view.nameAndFund(of: order.goal)
                try change.requireRoom(order.length ?? 0, in: fund, operation)
                return name
            }
            let now = Timestamp.now
            let row = UploadRow(
                key: .random(), user: user, goal: order.goal, name: name, contentType: order.contentType,
                length: order.length, salt: .random(in: .min ... .max), syncedBytes: 0, boot: UploadRows.boot,
                createdAt: now, touchedAt: now, modifiedAt: order.modifiedAt)
            // Its file first: without one, a row is of no use.
            let upload = try StoreError.wrapping(operation) { try KeptUpload.make(row, in: log) }
            do {
                try connection.write(operation) { db in
                    try UserRows.checkEnabled(user, db, operation)
                    try UploadRows(db: db).insert(row)
                }
            } catch {
                upload.removeName()
                throw error
            }
            return upload
        }
    }

    package func checkUpload(_ key: UploadKey, of user: User.ID) async throws {
        _ = try await viewing("look for an upload", of: user) { try Self.row(key, $0) }
    }

    package func uploadProgress(
        _ key: UploadKey, open: (any OpenUpload)?, of user: User.ID
    ) async throws -> UploadProgress {
        let operation = "look at an upload"
        return try await connection.queues.upload.run { [connection, log] in
            var row = try connection.read(operation) { try Self.row(key, LibraryView(db: $0, user: user)) }
            if row.file == nil, let open {
                row.syncedBytes = try open.sync()
                row.length = open.length
            } else if row.file == nil {
                let bytes = try StoreError.wrapping(operation) { try KeptUpload.durableBytes(of: row, in: log) }
                if bytes != row.syncedBytes || row.boot != UploadRows.boot {
                    // Bytes behind it in the file are cut off with the next byte after another start of the machine;
                    // until then the row must not say that the file counts.
                    if row.boot == UploadRows.boot {
                        try connection.write(operation) { try UploadRows(db: $0).noteSynced(key, bytes, at: .now) }
                    }
                    row.syncedBytes = bytes
                }
            }
            return UploadProgress(
                key: key, goal: row.goal, offset: row.syncedBytes, length: row.length, file: row.file,
                endsAt: row.touchedAt + UploadProgress.lifetime)
        }
    }

    package func resumeUpload(_ key: UploadKey, of user: User.ID) async throws -> any OpenUpload {
        let operation = "go on with an upload"
        return try await connection.queues.upload.run { [connection, log] in
            let row = try connection.read(operation) { try Self.row(key, LibraryView(db: $0, user: user)) }
            guard row.file == nil else { throw StoreError(.conflict, operation, "it is complete") }
            return try StoreError.wrapping(operation) { try KeptUpload.open(row, in: log) }
        }
    }

    package func completeUpload(_ upload: any OpenUpload, of user: User.ID) async throws -> FileEntry {
        let operation = "complete an upload"
        guard let upload = upload as? KeptUpload else {
            throw StoreError(.invalid, operation, "another store took the upload")
        }
        return try await connection.queues.upload.run { [connection, log] in
            let (goal, size, digest) = (upload.row.goal, upload.offset, upload.digest)
            try connection.read(operation) { db in
                // An upload that must be refused anyway is refused before anything is made durable.
                let change = LibraryChange(db: db, user: user, limits: connection.storageLimits)
                try change.requireRoom(size, of: digest, at: try change.target(of: goal, operation), operation)
            }
            let generation = log.generation
            let record = try upload.store(digest)
            let entry = try log.committing(operation, appendedIn: [generation]) { db in
                let change = LibraryChange(db: db, user: user, limits: connection.storageLimits)
                var target = try change.target(of: goal, operation)
                target.modifiedAt = upload.row.modifiedAt
                let entry = try change.addFile(
                    digest, size: size, contentType: upload.row.contentType, record, at: target, operation)
                try UploadRows(db: db).noteComplete(upload.key, entry.id, size, at: .now)
                return entry
            } records: { _ in
                [record].compactMap(\.self)
            } orElse: {
                record?.takeBack()
            }
            upload.removeName()
            return entry
        }
    }

    package func removeUpload(_ key: UploadKey, open: (any OpenUpload)?, of user: User.ID) async throws {
        let operation = "remove an upload"
        try await connection.queues.upload.run { [connection, log] in
            let row = try connection.read(operation) { try UploadRows(db: $0).row(key, of: user) }
            let isOpen = open is KeptUpload
            try StoreError.wrapping(operation) {
                try KeptUpload.remove(row, isOpen: isOpen, in: log) {
                    try connection.write(operation, .reserve) { try UploadRows(db: $0).remove(key) }
                }
            }
        }
    }

    /// The row of an upload. Throws `notFound` also when an incomplete one leads where the user has nothing any more.
    private static func row(_ key: UploadKey, _ view: LibraryView) throws -> UploadRow {
        let row = try UploadRows(db: view.db).row(key, of: view.user)
        if row.file == nil { _ = try view.nameAndFund(of: row.goal) }
        return row
    }
}

extension LibraryView {
    /// The name of a file that an upload is to become, and its fund. Throws `notFound` without its place, `invalid`.
    fileprivate func nameAndFund(of goal: UploadGoal) throws -> (String, Fund.ID) {
        switch goal {
        case .file(let target):
            try check(target.place)
            return (try LibraryName.checked(target.name, "begin an upload"), target.place.fund)
        case .content(let id, _):
            let file = try file(id)
            return (file.name, file.fund)
        }
    }
}

extension LibraryChange {
    /// Throws as for a plain upload, and `preconditionFailed` when the file has another content than it should.
    fileprivate func target(of goal: UploadGoal, _ operation: String) throws -> FileTarget {
        switch goal {
        case .file(let target):
            _ = try self.target(of: target, operation)
            return target
        case .content(let id, let digest):
            let file = try view.file(id)
            guard digest == nil || digest == file.digest else {
                throw StoreError(.preconditionFailed, operation, "it was changed in between")
            }
            var target = FileTarget(
                file.name, in: LibraryPlace(fund: file.fund, folder: file.folder), ifTaken: .replace)
            target.expected = .file(id, digest)
            return target
        }
    }
}
