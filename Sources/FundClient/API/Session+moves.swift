internal import HTTPTypes

extension Session {
    private struct Target: Encodable {
        var name: String?
        var fund: FundID?
        var folder: FolderID?
        var ifTaken: IfTaken

        init(_ place: Place?, _ name: String?, _ ifTaken: IfTaken) {
            self.name = name
            self.ifTaken = ifTaken
            switch place {
            case nil: break
            case .fund(let id): fund = id
            case .folder(let id): folder = id
            }
        }
    }

    /// Moves or renames a file, in one step where both are asked for.
    /// - Parameters:
    ///   - place: nil leaves it where it is.
    ///   - name: nil leaves its name.
    public func move(
        _ file: FileID, to place: Place? = nil, named name: String? = nil, ifTaken: IfTaken = .refuse,
        ifMatch tag: EntityTag? = nil
    ) async throws(ClientError) -> File {
        try await value(
            .sending(.patch, "/api/v1/files/\(file)", Target(place, name, ifTaken)).ifMatch(tag).onceOnly())
    }

    /// Moves or renames a folder with all that is in it, in one step where both are asked for.
    public func move(
        _ folder: FolderID, to place: Place? = nil, named name: String? = nil, ifTaken: IfTaken = .refuse,
        ifMatch tag: EntityTag? = nil
    ) async throws(ClientError) -> Folder {
        placeFunds.forget(folder)
        return try await value(
            .sending(.patch, "/api/v1/folders/\(folder)", Target(place, name, ifTaken)).ifMatch(tag).onceOnly()
                .patiently())
    }

    /// Copies it, a folder with all that is in it.
    public func copy(
        _ file: FileID, to place: Place? = nil, named name: String? = nil, ifTaken: IfTaken = .refuse
    ) async throws(ClientError) -> File {
        try await value(.sending(.post, "/api/v1/files/\(file)/copy", Target(place, name, ifTaken)))
    }

    /// Copies a folder with all that is in it: at most 50,000 files and folders.
    public func copy(
        _ folder: FolderID, to place: Place? = nil, named name: String? = nil, ifTaken: IfTaken = .refuse
    ) async throws(ClientError) -> Folder {
        try await value(.sending(.post, "/api/v1/folders/\(folder)/copy", Target(place, name, ifTaken)).patiently())
    }

    /// Puts it into the trash.
    public func delete(_ file: FileID, ifMatch tag: EntityTag? = nil) async throws(ClientError) {
        try await deleted(Call(.delete, "/api/v1/files/\(file)", isRepeatable: true).ifMatch(tag))
    }

    /// Puts it into the trash with all that is in it.
    public func delete(_ folder: FolderID, ifMatch tag: EntityTag? = nil) async throws(ClientError) {
        try await deleted(Call(.delete, "/api/v1/folders/\(folder)", isRepeatable: true).ifMatch(tag).patiently())
    }

    /// From the trash to where it was. Throws `conflict` when it cannot lie there any more.
    public func restore(_ file: FileID) async throws(ClientError) -> File {
        try await value(Call(.post, "/api/v1/files/\(file)/restore"))
    }

    /// Restores a folder from the trash to where it was, with all that was deleted with it.
    public func restore(_ folder: FolderID) async throws(ClientError) -> Folder {
        try await value(Call(.post, "/api/v1/folders/\(folder)/restore").patiently())
    }
}

extension Call {
    /// The tag is other after the first attempt: another would fail although the first was done.
    fileprivate func onceOnly() -> Call {
        var call = self
        call.isRepeatable = false
        return call
    }
}
