/// Where folders and files lie.
public enum Place: Sendable, Hashable {
    /// The top of a fund.
    case fund(FundID)
    case folder(FolderID)
}

/// What lies in a place.
public enum Item: Sendable, Hashable {
    case folder(Folder)
    case file(File)

    /// As people named it.
    public var name: String {
        switch self {
        case .folder(let folder): folder.name
        case .file(let file): file.name
        }
    }
}

/// What is done when a name is taken.
public enum IfTaken: String, Sendable, Hashable, Codable {
    /// It fails with `ClientError.Code.conflict`.
    case refuse
    /// `report.pdf` becomes `report(1).pdf`.
    case number
    /// The file of that name gets the new bytes; what it had goes to the trash.
    case replace
}
