// What Swift cannot import of libcurl: its variadic functions, typed; and all of it loaded when it is first used, since
// libcurl and the thirty libraries that it needs take 5 ms of each start, of parsers and short commands, too.
#ifndef FUNDMAIL_CCURL_SHIM_H
#define FUNDMAIL_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <string.h>

// NULL when libcurl is not installed. Found by all that look for OpenSSL's functions, too (RTLD_GLOBAL).
static inline void *fundmail_curl_symbol(const char *name) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_GLOBAL);
    return library ? dlsym(library, name) : NULL;
}

static inline int fundmail_curl_is_there(void) { return fundmail_curl_symbol("curl_easy_init") != NULL; }

// A function of libcurl under the name fundmail_… that looks it up once. Only after `fundmail_curl_is_there`.
#define FUNDMAIL_CURL(result, name, parameters, ...)                                                        \
    static inline result fundmail_##name parameters {                                                      \
        static result(*found) parameters;                                                                  \
        result(*function) parameters = __atomic_load_n(&found, __ATOMIC_RELAXED);                          \
        if (!function) {                                                                                   \
            function = (result(*) parameters)fundmail_curl_symbol(#name);                                  \
            __atomic_store_n(&found, function, __ATOMIC_RELAXED);                                          \
        }                                                                                                  \
        return function(__VA_ARGS__);                                                                      \
    }

FUNDMAIL_CURL(CURLcode, curl_global_init, (long flags), flags)
FUNDMAIL_CURL(CURL *, curl_easy_init, (void))
FUNDMAIL_CURL(void, curl_easy_cleanup, (CURL *handle), handle)
FUNDMAIL_CURL(CURLcode, curl_easy_recv, (CURL *handle, void *bytes, size_t count, size_t *received), handle, bytes, count,
              received)
FUNDMAIL_CURL(CURLcode, curl_easy_send, (CURL *handle, const void *bytes, size_t count, size_t *sent), handle, bytes, count,
              sent)
FUNDMAIL_CURL(struct curl_slist *, curl_slist_append, (struct curl_slist *list, const char *text), list, text)
FUNDMAIL_CURL(void, curl_slist_free_all, (struct curl_slist *list), list)
FUNDMAIL_CURL(const char *, curl_easy_strerror, (CURLcode code), code)
FUNDMAIL_CURL(time_t, curl_getdate, (const char *text, const time_t *unused), text, unused)
FUNDMAIL_CURL(CURLM *, curl_multi_init, (void))
FUNDMAIL_CURL(CURLMcode, curl_multi_add_handle, (CURLM *multi, CURL *easy), multi, easy)
FUNDMAIL_CURL(CURLMcode, curl_multi_remove_handle, (CURLM *multi, CURL *easy), multi, easy)
FUNDMAIL_CURL(CURLMcode, curl_multi_perform, (CURLM *multi, int *running), multi, running)
FUNDMAIL_CURL(CURLMcode, curl_multi_poll,
              (CURLM *multi, struct curl_waitfd extra[], unsigned int count, int milliseconds, int *ready), multi, extra,
              count, milliseconds, ready)
FUNDMAIL_CURL(CURLMsg *, curl_multi_info_read, (CURLM *multi, int *left), multi, left)
FUNDMAIL_CURL(CURLMcode, curl_multi_cleanup, (CURLM *multi), multi)

// These two are variadic, and macros besides.
#undef curl_easy_setopt
#undef curl_easy_getinfo
typedef CURLcode (*fundmail_curl_setter)(CURL *, CURLoption, ...);
typedef CURLcode (*fundmail_curl_getter)(CURL *, CURLINFO, ...);
#define FUNDMAIL_SET ((fundmail_curl_setter)fundmail_curl_symbol("curl_easy_setopt"))
#define FUNDMAIL_GET ((fundmail_curl_getter)fundmail_curl_symbol("curl_easy_getinfo"))

static inline CURLcode fundmail_curl_set_long(CURL *handle, CURLoption option, long value) {
    return FUNDMAIL_SET(handle, option, value);
}

static inline CURLcode fundmail_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return FUNDMAIL_SET(handle, option, value);
}

static inline CURLcode fundmail_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return FUNDMAIL_SET(handle, option, value);
}

static inline CURLcode fundmail_curl_set_debug(CURL *handle, curl_debug_callback callback) {
    return FUNDMAIL_SET(handle, CURLOPT_DEBUGFUNCTION, callback);
}

static inline CURLcode fundmail_curl_set_opensocket(CURL *handle, curl_opensocket_callback callback) {
    return FUNDMAIL_SET(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode fundmail_curl_set_writer(CURL *handle, CURLoption option, curl_write_callback callback) {
    return FUNDMAIL_SET(handle, option, callback);
}

// Called with the context of the TLS library before the connection is encrypted: of OpenSSL its SSL_CTX.
static inline CURLcode fundmail_curl_set_tls_context(CURL *handle, curl_ssl_ctx_callback callback) {
    return FUNDMAIL_SET(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

// Whether that is OpenSSL.
static inline int fundmail_curl_has_openssl(void) {
    const curl_version_info_data *(*info)(CURLversion) =
        (const curl_version_info_data *(*)(CURLversion))fundmail_curl_symbol("curl_version_info");
    const curl_version_info_data *data = info ? info(CURLVERSION_NOW) : NULL;
    return data && data->ssl_version && strncmp(data->ssl_version, "OpenSSL/", 8) == 0;
}

static inline CURLcode fundmail_curl_get_socket(CURL *handle, curl_socket_t *value) {
    return FUNDMAIL_GET(handle, CURLINFO_ACTIVESOCKET, value);
}

// The server's certificates, its own first; belongs to the handle.
static inline CURLcode fundmail_curl_get_certificates(CURL *handle, struct curl_certinfo **value) {
    return FUNDMAIL_GET(handle, CURLINFO_CERTINFO, value);
}

// Whether the connection of the handle is encrypted now.
static inline int fundmail_curl_has_tls(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if (FUNDMAIL_GET(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return 0;
    return session->backend != CURLSSLBACKEND_NONE && session->internals != NULL;
}

// Calls OpenSSL's SSL_ctrl on the connection's SSL; does nothing with another TLS library.
static inline void fundmail_curl_control_tls(
    CURL *handle, long (*ssl_ctrl)(void *, int, long, void *), int command, long value) {
    struct curl_tlssessioninfo *session = NULL;
    if (FUNDMAIL_GET(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return;
    if (session->backend == CURLSSLBACKEND_OPENSSL && session->internals != NULL) {
        ssl_ctrl(session->internals, command, value, NULL);
    }
}

#endif
