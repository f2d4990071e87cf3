import FundCore

extension LibraryChange {
    /// The folder of these names below a place, each made where it is missing. A name that no folder can have is
    /// changed, and one that a file has is numbered. Throws `invalid` where folders would lie too deep.
    func folder(_ names: [String], below place: LibraryPlace, _ operation: String) throws -> LibraryPlace {
        var place = place
        for name in names { place.folder = try folder(LibraryName.cleaned(name), in: place, operation) }
        return place
    }

    private func folder(_ name: String, in place: LibraryPlace, _ operation: String) throws -> FolderEntry.ID {
        // A folder is no hindrance: the next file of this one has to find what was made for the first.
        let name = try LibraryName.free(name) { key in
            if case .file = try view.item(in: place, key: key) { true } else { false }
        }
        if case .folder(let found)? = try view.item(in: place, key: FileName.key(name)) { return found.id }
        try checkReach(name, in: place, operation)
        return try insertFolder(name, in: place)
    }
}
