/// The result of a piece of work.
package struct PreviewResult: Sendable {
    package var info: FileInfo?
    /// The verdict of a scan, with the version of the scanner's signatures.
    package var verdict: (verdict: Verdict, signatures: Int64)?
    /// Renditions that were made, those on the way to the wanted one included.
    package var made: [PreviewContent] = []
    /// The reason for which the wanted rendition could not be made.
    package var failure: RenditionFailure?
    /// Tried again, alone, as the next attempt.
    package var isTriedAgain = false
    /// The recipe that was tried.
    package var recipe: Int

    package init(recipe: Int) { self.recipe = recipe }
}
