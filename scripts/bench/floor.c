/* The floor: how fast one thread can go that only parses each message with GMime and decodes every part to nothing.
 * No rows, no files, no hashes, no child process. Arguments: files, or folders whose `cur` and `new` are read.
 * Prints `messages seconds messages_per_second`. */
#include <dirent.h>
#include <fcntl.h>
#include <gmime/gmime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static long messages, parts;

static void decode(GMimeObject *parent, GMimeObject *part, gpointer null_stream) {
    (void)parent;
    if (!GMIME_IS_PART(part)) return;
    GMimeDataWrapper *content = g_mime_part_get_content(GMIME_PART(part));
    if (content != NULL) g_mime_data_wrapper_write_to_stream(content, GMIME_STREAM(null_stream));
    parts++;
}

static void parse(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        perror(path);
        exit(1);
    }
    GMimeStream *stream = g_mime_stream_fs_new(fd); /* owns fd */
    GMimeParser *parser = g_mime_parser_new_with_stream(stream);
    g_mime_parser_set_persist_stream(parser, TRUE);
    GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);
    if (message != NULL) {
        GMimeStream *null_stream = g_mime_stream_null_new();
        GMimeObject *top = g_mime_message_get_mime_part(message);
        if (top != NULL) {
            if (GMIME_IS_MULTIPART(top)) {
                g_mime_multipart_foreach(GMIME_MULTIPART(top), decode, null_stream);
            } else {
                decode(NULL, top, null_stream);
            }
        }
        g_object_unref(null_stream);
        g_object_unref(message);
        messages++;
    }
    g_object_unref(parser);
    g_object_unref(stream);
}

static void walk(const char *folder) {
    DIR *dir = opendir(folder);
    if (dir == NULL) return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat info;
        if (stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) {
            walk(path);
        } else {
            parse(path);
        }
    }
    closedir(dir);
}

int main(int argc, char **argv) {
    g_mime_init();
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode)) {
            walk(argv[i]);
        } else {
            parse(argv[i]);
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    printf("%ld %.4f %.0f\n", messages, seconds, (double)messages / seconds);
    return parts > 0 ? 0 : 1;
}
