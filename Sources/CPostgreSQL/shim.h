// libpq, the client library of PostgreSQL, loaded when it is first used: it and the twenty libraries that it needs take
// 6 ms and 5 MB of each start, and most stores are in SQLite. No logic.
#ifndef FUNDMAIL_CPOSTGRESQL_SHIM_H
#define FUNDMAIL_CPOSTGRESQL_SHIM_H

#include <dlfcn.h>
#include <postgresql/libpq-fe.h>

// NULL when libpq is not installed.
static inline void *fundmail_pq_symbol(const char *name) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_GLOBAL);
    return library ? dlsym(library, name) : NULL;
}

static inline int fundmail_pq_is_there(void) { return fundmail_pq_symbol("PQconnectStartParams") != NULL; }

// A function of libpq under the name fundmail_… that looks it up once. Only after `fundmail_pq_is_there`.
#define FUNDMAIL_PQ(result, name, parameters, ...)                                                          \
    static inline result fundmail_##name parameters {                                                      \
        static result(*found) parameters;                                                                  \
        result(*function) parameters = __atomic_load_n(&found, __ATOMIC_RELAXED);                          \
        if (!function) {                                                                                   \
            function = (result(*) parameters)fundmail_pq_symbol(#name);                                    \
            __atomic_store_n(&found, function, __ATOMIC_RELAXED);                                          \
        }                                                                                                  \
        return function(__VA_ARGS__);                                                                      \
    }

// Connections
FUNDMAIL_PQ(PQconninfoOption *, PQconninfoParse, (const char *text, char **message), text, message)
FUNDMAIL_PQ(void, PQconninfoFree, (PQconninfoOption *options), options)
FUNDMAIL_PQ(void, PQfreemem, (void *memory), memory)
FUNDMAIL_PQ(PGconn *, PQconnectStartParams, (const char *const *names, const char *const *values, int expand), names, values,
            expand)
FUNDMAIL_PQ(PostgresPollingStatusType, PQconnectPoll, (PGconn *connection), connection)
FUNDMAIL_PQ(void, PQfinish, (PGconn *connection), connection)
FUNDMAIL_PQ(ConnStatusType, PQstatus, (const PGconn *connection), connection)
FUNDMAIL_PQ(PGTransactionStatusType, PQtransactionStatus, (const PGconn *connection), connection)
FUNDMAIL_PQ(int, PQsocket, (const PGconn *connection), connection)
FUNDMAIL_PQ(int, PQserverVersion, (const PGconn *connection), connection)
FUNDMAIL_PQ(int, PQbackendPID, (const PGconn *connection), connection)
FUNDMAIL_PQ(int, PQsslInUse, (PGconn *connection), connection)
FUNDMAIL_PQ(char *, PQerrorMessage, (const PGconn *connection), connection)
FUNDMAIL_PQ(PGVerbosity, PQsetErrorVerbosity, (PGconn *connection, PGVerbosity verbosity), connection, verbosity)
FUNDMAIL_PQ(int, PQsetnonblocking, (PGconn *connection, int is_nonblocking), connection, is_nonblocking)
FUNDMAIL_PQ(PQnoticeProcessor, PQsetNoticeProcessor, (PGconn *connection, PQnoticeProcessor processor, void *context),
            connection, processor, context)
FUNDMAIL_PQ(PGnotify *, PQnotifies, (PGconn *connection), connection)
FUNDMAIL_PQ(PGcancel *, PQgetCancel, (PGconn *connection), connection)
FUNDMAIL_PQ(void, PQfreeCancel, (PGcancel *cancel), cancel)
FUNDMAIL_PQ(int, PQcancel, (PGcancel *cancel, char *message, int size), cancel, message, size)

// Statements
FUNDMAIL_PQ(int, PQsendQuery, (PGconn *connection, const char *sql), connection, sql)
FUNDMAIL_PQ(int, PQsendQueryParams,
            (PGconn *connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
             const int *formats, int result_format),
            connection, sql, count, types, values, lengths, formats, result_format)
FUNDMAIL_PQ(int, PQsendPrepare, (PGconn *connection, const char *name, const char *sql, int count, const Oid *types),
            connection, name, sql, count, types)
FUNDMAIL_PQ(int, PQsendQueryPrepared,
            (PGconn *connection, const char *name, int count, const char *const *values, const int *lengths,
             const int *formats, int result_format),
            connection, name, count, values, lengths, formats, result_format)
FUNDMAIL_PQ(int, PQsetSingleRowMode, (PGconn *connection), connection)
FUNDMAIL_PQ(int, PQflush, (PGconn *connection), connection)
FUNDMAIL_PQ(int, PQconsumeInput, (PGconn *connection), connection)
FUNDMAIL_PQ(int, PQisBusy, (PGconn *connection), connection)
FUNDMAIL_PQ(PGresult *, PQgetResult, (PGconn *connection), connection)
FUNDMAIL_PQ(int, PQputCopyData, (PGconn *connection, const char *bytes, int count), connection, bytes, count)
FUNDMAIL_PQ(int, PQputCopyEnd, (PGconn *connection, const char *message), connection, message)

// Results
FUNDMAIL_PQ(void, PQclear, (PGresult *result), result)
FUNDMAIL_PQ(ExecStatusType, PQresultStatus, (const PGresult *result), result)
FUNDMAIL_PQ(char *, PQresultErrorMessage, (const PGresult *result), result)
FUNDMAIL_PQ(char *, PQresultErrorField, (const PGresult *result, int code), result, code)
FUNDMAIL_PQ(int, PQntuples, (const PGresult *result), result)
FUNDMAIL_PQ(int, PQnfields, (const PGresult *result), result)
FUNDMAIL_PQ(int, PQfnumber, (const PGresult *result, const char *name), result, name)
FUNDMAIL_PQ(Oid, PQftype, (const PGresult *result, int column), result, column)
FUNDMAIL_PQ(char *, PQcmdStatus, (PGresult *result), result)
FUNDMAIL_PQ(char *, PQcmdTuples, (PGresult *result), result)
FUNDMAIL_PQ(char *, PQgetvalue, (const PGresult *result, int row, int column), result, row, column)
FUNDMAIL_PQ(int, PQgetlength, (const PGresult *result, int row, int column), result, row, column)
FUNDMAIL_PQ(int, PQgetisnull, (const PGresult *result, int row, int column), result, row, column)

#endif
