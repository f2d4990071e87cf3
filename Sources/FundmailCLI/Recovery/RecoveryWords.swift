/// Sentences about what came out of a log, which several commands say.
enum RecoveryWords {
    static func removedElsewhere(_ count: Int) -> String {
        "Removed or written anew since, as another copy of the log says: \(count) of these; each is whole in one copy."
    }

    static func unproven(_ count: Int) -> String {
        "\(count) of these messages wait at the desk whatever they say: they are of a segment so damaged that nothing "
            + "tells its records from bytes that came by mail."
    }

    static let deletedMail =
        "Mail that was deleted for good is here again where its raw message was kept: the log does not say that it was "
        + "deleted."
}
