/// The triggers that keep checksums of rows.
enum RowCheckSchema {
    /// A row that was damaged stays so whatever else is changed in it: only one that was whole gets another checksum,
    /// and a damaged one that is changed has none, since no backup can prove what would be right.
    static let script =
        """
        -- The checksum of each row of the tables that `RowChecks` names, as it was written last. NULL: the row was
        -- changed when it was not what had been written.
        CREATE TABLE row_check (
            name TEXT NOT NULL, row_id INTEGER NOT NULL, value INTEGER, PRIMARY KEY (name, row_id)
        ) STRICT, WITHOUT ROWID;

        """ + script(of: ["user", "address", "fund", "fund_alias", "folder", "note", "learnt", "token"])

    /// The triggers of some tables, of those that `RowChecks` names. Tables of later versions bring theirs along.
    static func script(of tables: [String]) -> String {
        var script = ""
        for (table, columns) in RowChecks.tables where tables.contains(table) {
            let (old, new) = (RowChecks.checksum(columns, of: "old"), RowChecks.checksum(columns, of: "new"))
            script += """
                INSERT INTO row_check
                    SELECT '\(table)', id, \(RowChecks.checksum(columns, of: "\"\(table)\"")) FROM "\(table)";
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
        return script
    }
}
