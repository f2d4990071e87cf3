#include "CServerFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE_PART "path.inc"
static const char *const paths[] = {
#include "files.inc"
    0};
#undef FILE_PART

#define FILE_PART "content.inc"
static const unsigned char contents[] = {
#include "files.inc"
    0};

const char *const *fundmail_file_paths(void) { return paths; }

const char *fundmail_file_contents(void) { return (const char *)contents; }
