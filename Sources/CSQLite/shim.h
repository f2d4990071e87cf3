// libsqlite3: a typed form of a variadic function that GRDB's module leaves out. No logic.
#ifndef FUNDMAIL_CSQLITE_SHIM_H
#define FUNDMAIL_CSQLITE_SHIM_H

#include <sqlite3.h>

// Stops counting the memory that SQLite takes, under a lock that all its connections share. Before SQLite is used.
static inline int fundmail_sqlite_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
