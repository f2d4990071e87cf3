internal import FundCore

extension JSONWriter {
    mutating func field(_ drive: Drive) {
        field("id", drive.id)
        field("name", drive.name)
        field("kind", drive.kind.rawValue)
        field("host", drive.host)
        field("account", drive.account)
        field("added_at", drive.addedAt)
        field("problem", drive.problem?.rawValue)
        field("detail", drive.problem?.text)
    }

    mutating func field(_ kind: DriveKind) {
        field("kind", kind.rawValue)
        field("title", kind.title)
        field("uses_oauth", kind.usesOAuth)
        objects("fields", kind.fields) { json, entry in
            json.field("name", entry.name)
            let (form, choices): (String, [String]) =
                switch entry.form {
                case .text: ("text", [])
                case .address: ("address", [])
                case .secret: ("secret", [])
                case .choice(let choices): ("choice", choices)
                }
            json.field("form", form)
            json.field("choices", choices)
            json.field("is_required", entry.isRequired)
        }
    }

    mutating func field(_ entry: DriveEntry) {
        field("name", entry.name)
        field("is_folder", entry.isFolder)
        field("size", entry.size)
        field("modified_at", entry.modifiedAt)
        field("content_type", entry.contentType)
        field("sha256", entry.digest?.hex)
    }

    mutating func field(_ space: DriveSpace) {
        field("total", space.total)
        field("used", space.used)
        field("free", space.free)
    }

    mutating func field(_ watch: DriveWatch) {
        field("id", watch.id)
        field("drive", watch.drive)
        field("path", watch.path.description)
        field("fund", watch.place.fund)
        field("folder", watch.place.folder)
        field("disposition", watch.rules.disposition.rawValue)
        field("subfolder", watch.rules.folder)
        field("minutes", watch.rules.minutes)
        field("state", watch.state.rawValue)
        field("added_at", watch.addedAt)
        field("looked_at", watch.lookedAt)
        field("next_look_at", watch.nextLookAt)
        field("filed", watch.counts.filed)
        field("waiting", watch.counts.waiting)
        field("refused", watch.counts.refused)
        field("folders", watch.counts.folders)
        field("problem", watch.problem?.rawValue)
        field("detail", watch.detail ?? watch.problem?.text)
    }

    mutating func field(_ transfer: DriveTransfer) {
        fieldOfProgress(transfer)
        field("direction", transfer.direction.rawValue)
        field("paths", transfer.paths.map(\.description))
        objects("items", transfer.items) { $0.field($1) }
        field("fund", transfer.place?.fund)
        field("folder", transfer.place?.folder)
        field("added_at", transfer.addedAt)
        field("ended_at", transfer.endedAt)
        field("problem", transfer.problem?.rawValue)
        field("detail", transfer.detail ?? transfer.problem?.text)
        field("watch", transfer.watch)
    }

    /// Writes the members that change while a transfer goes on.
    mutating func fieldOfProgress(_ transfer: DriveTransfer) {
        field("id", transfer.id)
        field("drive", transfer.drive)
        field("state", transfer.state.rawValue)
        field("files", transfer.progress.files)
        field("total_files", transfer.progress.totalFiles)
        field("failed_files", transfer.progress.failedFiles)
        field("bytes", transfer.progress.bytes)
        field("total_bytes", transfer.progress.totalBytes)
    }
}
