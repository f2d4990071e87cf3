package import FundCore

/// The version of the way in which something is made. A rendition of another version is made anew when it is wanted.
package enum ToolRecipe {
    /// Raised whenever programs, options or limits change so that something else comes out.
    package static func version(of work: Conversion.Work, type: TrueType) -> Int {
        switch (work, type.family) {
        case (.info, _): 1
        case (.picture, _): 1
        case (.document, _): 1
        case (.text, _): 1
        case (.recognition, _): 1
        }
    }
}
