import FundCore

extension DriveKind {
    /// The hosts that a drive of this kind needs, beside that of its tokens; those that begin with a dot stand for all
    /// below them. Nil for kinds whose host a person enters, or whose hosts are not known beforehand.
    ///
    /// A token goes with each request, those of redirections included: to no other host.
    var hosts: [String]? {
        switch self {
        case .googleDrive: ["www.googleapis.com", ".googleusercontent.com"]
        case .oneDrive:
            [
                "graph.microsoft.com", ".sharepoint.com", "api.onedrive.com", "storage.live.com", ".storage.live.com",
                ".1drv.com", ".microsoftpersonalcontent.com",
            ]
        case .dropbox: ["api.dropboxapi.com", "content.dropboxapi.com"]
        case .box: ["api.box.com", "upload.box.com", "upload.app.box.com", ".boxcloud.com"]
        case .pcloud: [".pcloud.com"]
        case .webdav, .s3, .b2, .azureBlob, .swift, .koofr, .seafile: nil
        }
    }
}
