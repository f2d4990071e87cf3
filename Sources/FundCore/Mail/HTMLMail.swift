/// The input of a sanitizer.
package struct HTMLMail: Sendable, Equatable {
    /// An attachment that the HTML may show.
    package struct Picture: Sendable, Equatable {
        /// Content-ID of the picture (RFC 2392), nil without one.
        package var contentID: String?
        /// File name of the picture, which relative addresses name, and which stands in its place when it is not shown.
        package var name: String
        /// Size of the file.
        package var bytes: Int64

        package init(contentID: String?, name: String, bytes: Int64) {
            self.contentID = contentID
            self.name = name
            self.bytes = bytes
        }
    }

    /// Bytes of pictures that are shown in one mail; those beyond it are named.
    package static let maxPictureBytes: Int64 = 3_000_000

    package var html: String
    package var pictures: [Picture]
    /// Leaves the addresses of pictures on other servers in, with `https`.
    package var showsRemotePictures: Bool

    package init(html: String, pictures: [Picture] = [], showsRemotePictures: Bool = false) {
        self.html = html
        self.pictures = pictures
        self.showsRemotePictures = showsRemotePictures
    }
}
