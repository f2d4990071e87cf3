/// A place of folders and files.
public enum Place: Sendable, Hashable {
    /// The top of a fund.
    case fund(FundID)
    case folder(FolderID)
}

/// A thing in a place.
public enum Item: Sendable, Hashable {
    case folder(Folder)
    case file(File)

    /// Name of the folder or file.
    public var name: String {
        switch self {
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }
}

/// Action when a name is taken.
public enum IfTaken: String, Sendable, Hashable, Codable {
    /// The call fails with `ClientError.Code.conflict`.
    case refuse
    /// `report.pdf` becomes `report(1).pdf`.
    case number
    /// The file of that name gets the new bytes; what it had goes to the trash.
    case replace
}
