/// The triggers that keep checksums of rows.
///
/// A row that was damaged stays so whatever else is changed in it: only one that was whole gets another checksum, and a
/// damaged one that is changed has none, since no backup can prove what would be right.
enum RowCheckSchema {
    /// Columns that the checksums of a table covered before a later step added some.
    private static let earlierColumns = ["token": ["user_id", "kind", "digest", "sealed", "revoked_at"]]

    static let script =
        """
        -- The checksum of each row of the tables that `RowChecks` names, as it was written last. NULL: the row was
        -- changed when it was not what had been written.
        CREATE TABLE row_check (
            name TEXT NOT NULL, row_id INTEGER NOT NULL, value INTEGER, PRIMARY KEY (name, row_id)
        ) STRICT, WITHOUT ROWID;

        """ + script(of: ["user", "address", "fund", "fund_alias", "folder", "note", "learnt", "token"])

    /// The checksums of some tables, of those that `RowChecks` names, and their triggers. Tables of later versions
    /// bring theirs along.
    static func script(of tables: [String]) -> String {
        var script = ""
        for (table, columns) in RowChecks.tables where tables.contains(table) {
            let columns = earlierColumns[table] ?? columns
            script += """
                INSERT INTO row_check
                    SELECT '\(table)', id, \(RowChecks.checksum(columns, of: "\"\(table)\"")) FROM "\(table)";
                \(triggers(on: table, columns))
                """
        }
        return script
    }

    /// Takes the reach of app passwords into the checksums of tokens.
    static let tokenReach: String = {
        var script = ""
        for (table, columns) in RowChecks.tables {
            guard let earlier = earlierColumns[table] else { continue }
            let (old, new) = (
                RowChecks.checksum(earlier, of: "\"\(table)\""), RowChecks.checksum(columns, of: "\"\(table)\"")
            )
            script += """
                DROP TRIGGER IF EXISTS row_check_\(table)_insert;
                DROP TRIGGER IF EXISTS row_check_\(table)_update;
                DROP TRIGGER IF EXISTS row_check_\(table)_delete;
                UPDATE row_check
                    SET value = (SELECT iif(value = \(old), \(new), NULL) FROM "\(table)" WHERE id = row_id)
                    WHERE name = '\(table)' AND row_id IN (SELECT id FROM "\(table)");
                \(triggers(on: table, columns))
                """
        }
        return script
    }()

    private static func triggers(on table: String, _ columns: [String]) -> String {
        let (old, new) = (RowChecks.checksum(columns, of: "old"), RowChecks.checksum(columns, of: "new"))
        return """
            CREATE TRIGGER row_check_\(table)_insert AFTER INSERT ON "\(table)" BEGIN
                INSERT OR REPLACE INTO row_check (name, row_id, value) VALUES ('\(table)', new.id, \(new));
            END;
            CREATE TRIGGER row_check_\(table)_update
            AFTER UPDATE OF \(columns.joined(separator: ", ")) ON "\(table)" BEGIN
                UPDATE row_check SET value = iif(value = \(old), \(new), NULL)
                WHERE name = '\(table)' AND row_id = new.id;
            END;
            CREATE TRIGGER row_check_\(table)_delete AFTER DELETE ON "\(table)" BEGIN
                DELETE FROM row_check WHERE name = '\(table)' AND row_id = old.id;
            END;

            """
    }
}
