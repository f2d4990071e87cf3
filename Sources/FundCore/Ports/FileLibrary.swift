/// The part of the store that shows a user's funds as folders and files. Everything is seen through a user: what
/// belongs to another answers `notFound`, as if it did not exist. What is deleted or in a deleted fund is found only by
/// `Trash`. Names are data and are compared as FileName does (NFC, without regard to case); they never become paths.
/// Errors are `StoreError`.
package typealias FileLibrary =
    ArrivalReading & ContentReading & FavouriteMarks & FileReading & FileWriting & FundLibrary & PropertyStore
    & ResumableUploads & SidebarReading & Trash & UploadStaging
