/* test_os.c - what is asked of the operating system: output files that are whole or not there,
 * folders, links, temporary files, streams. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/os.h"
#include "base/os_command.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- files: a folder for each test ----------------------------------------------------------- */

static char folder[256];

static const char *at(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % COUNT(paths)];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    const char *dir = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/stave-test-XXXXXX", dir != NULL ? dir : "/tmp");
    return mkdtemp(folder) == NULL;
}

/* Each test removes what it made: what is left is what it did not expect. */
static int remove_folder(void **state)
{
    if (rmdir(folder) == 0)
        return 0;
    print_error("%s is not empty\n", folder);
    return 1;
}

static unsigned entries(void)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_file(const char *path, const char *text)
{
    char bytes[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    bytes[size] = '\0';
    fclose(file);
    assert_string_equal(bytes, text);
}

static struct stave__os_file create(const char *path, const char *text)
{
    struct stave__os_file file;
    stave_error error = {0};
    assert_int_equal(stave__os_create(path, &file, &error), STAVE_OK);
    assert_int_equal(stave__os_write(file.fd, "it", text, strlen(text), &error), STAVE_OK);
    return file;
}

static void check_failed(int status, const stave_error *error, const char *path)
{
    assert_int_equal(status, STAVE_E_IO);
    assert_int_equal(error->status, STAVE_E_IO);
    if (strstr(error->message, path) == NULL) {
        print_error("\"%s\" does not name %s\n", error->message, path);
        fail();
    }
}

/* ---- output files ---------------------------------------------------------------------------- */

static void test_commit(void **state)
{
    struct stat status;
    mode_t mask = umask(027);
    struct stave__os_file file = create(at("out.csv"), "new");
    assert_int_equal(access(at("out.csv"), F_OK), -1); /* not before it is whole */
    assert_true(entries() <= 1); /* where a file cannot be without a name it has another */
    assert_int_equal(stave__os_commit(&file, false, NULL), STAVE_OK);
    umask(mask);
    check_file(at("out.csv"), "new");
    assert_int_equal(entries(), 1);
    assert_int_equal(stat(at("out.csv"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640); /* as other programs' files */
    stave__os_discard(&file);                       /* harmless */
    check_file(at("out.csv"), "new");
    unlink(at("out.csv"));
}

static void test_commit_replaces(void **state)
{
    write_file(at("out.csv"), "old");
    struct stave__os_file file = create(at("out.csv"), "new");
    check_file(at("out.csv"), "old");
    assert_int_equal(stave__os_commit(&file, false, NULL), STAVE_OK);
    check_file(at("out.csv"), "new");
    assert_int_equal(entries(), 1);
    unlink(at("out.csv"));
}

static void test_discard(void **state)
{
    write_file(at("out.csv"), "old");
    struct stave__os_file file = create(at("out.csv"), "new");
    struct stave__os_file other = create(at("other.csv"), "new");
    assert_true(entries() <= 3);
    stave__os_discard(&file);
    stave__os_discard(&other);
    stave__os_discard(&other);
    check_file(at("out.csv"), "old");
    assert_int_equal(entries(), 1);
    unlink(at("out.csv"));
}

static void test_exclusive_commit(void **state)
{
    stave_error error = {0};
    write_file(at("run 1"), "old");
    struct stave__os_file file = create(at("run 1"), "new");
    assert_int_equal(stave__os_commit(&file, true, &error), STAVE_E_STATE);
    check_file(at("run 1"), "old");

    assert_int_equal(stave__os_write(file.fd, "it", "er", 2, &error), STAVE_OK); /* still open */
    assert_int_equal(stave__os_rename_target(&file, at("run 2"), &error), STAVE_OK);
    assert_int_equal(stave__os_commit(&file, true, &error), STAVE_OK);
    check_file(at("run 1"), "old");
    check_file(at("run 2"), "newer");
    assert_int_equal(entries(), 2);
    unlink(at("run 1"));
    unlink(at("run 2"));
}

static void test_discard_after_a_name_was_taken(void **state)
{
    write_file(at("run 1"), "old");
    struct stave__os_file file = create(at("run 1"), "new");
    assert_int_equal(stave__os_commit(&file, true, NULL), STAVE_E_STATE);
    stave__os_discard(&file);
    assert_int_equal(entries(), 1);
    unlink(at("run 1"));
}

/* What is no file is written directly, and stays what it is. */
static void test_output_to_a_pipe(void **state)
{
    struct stat status;
    char bytes[8] = {0};
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    int reader = open(at("pipe"), O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    struct stave__os_file file = create(at("pipe"), "text");
    assert_int_equal(entries(), 1);
    assert_int_equal(stave__os_commit(&file, false, NULL), STAVE_OK);
    assert_int_equal(read(reader, bytes, sizeof bytes), 4);
    assert_string_equal(bytes, "text");
    assert_int_equal(stat(at("pipe"), &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    close(reader);
    unlink(at("pipe"));
}

static void test_outputs_that_cannot_be(void **state)
{
    struct stave__os_file file;
    stave_error error = {0};
    int status = stave__os_create(at("missing/out.csv"), &file, &error);
    check_failed(status, &error, "missing/out.csv");
    stave__os_discard(&file); /* harmless */

    error = (stave_error){0};
    status = stave__os_create(folder, &file, &error);
    check_failed(status, &error, folder);
    assert_int_equal(entries(), 0);
}

/* The folder goes away in between. */
static void test_commit_that_cannot_be(void **state)
{
    stave_error error = {0};
    assert_int_equal(stave__os_make_dirs(at("sub"), NULL), STAVE_OK);
    struct stave__os_file file = create(at("sub/out.csv"), "new");
    assert_int_equal(stave__os_rename_target(&file, at("missing/out.csv"), NULL), STAVE_OK);
    check_failed(stave__os_commit(&file, false, &error), &error, "missing/out.csv");
    error = (stave_error){0};
    check_failed(stave__os_commit(&file, true, &error), &error, "missing/out.csv");
    stave__os_discard(&file);
    assert_int_equal(rmdir(at("sub")), 0); /* empty */
}

/* ---- folders, links, temporary files --------------------------------------------------------- */

static void test_make_dirs(void **state)
{
    struct stat status;
    stave_error error = {0};
    assert_int_equal(stave__os_make_dirs(at("a/b/c"), &error), STAVE_OK);
    assert_int_equal(stat(at("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(stave__os_make_dirs(at("a/b/c"), &error), STAVE_OK);
    assert_int_equal(stave__os_make_dirs(at("a/b/d/"), &error), STAVE_OK);
    assert_int_equal(stave__os_make_dirs("/", &error), STAVE_OK);
    assert_int_equal(error.status, STAVE_OK);

    write_file(at("a/file"), "");
    check_failed(stave__os_make_dirs(at("a/file"), &error), &error, "a/file");
    error = (stave_error){0};
    check_failed(stave__os_make_dirs(at("a/file/x"), &error), &error, "a/file");
    unlink(at("a/file"));
    assert_int_equal(rmdir(at("a/b/c")) | rmdir(at("a/b/d")) | rmdir(at("a/b")) | rmdir(at("a")),
                     0);
}

static void test_make_dirs_of_no_name(void **state)
{
    stave_error error = {0};
    check_failed(stave__os_make_dirs("", &error), &error, "");
}

static void check_link(const char *path, const char *target)
{
    char found[256];
    ssize_t size = readlink(path, found, sizeof found - 1);
    assert_in_range(size, 1, sizeof found - 1);
    found[size] = '\0';
    assert_string_equal(found, target);
}

static void test_replace_link(void **state)
{
    stave_error error = {0};
    assert_int_equal(stave__os_replace_link(at("latest"), "run 1", &error), STAVE_OK);
    check_link(at("latest"), "run 1"); /* which need not exist */
    assert_int_equal(stave__os_replace_link(at("latest"), "run 2", &error), STAVE_OK);
    check_link(at("latest"), "run 2");
    assert_int_equal(entries(), 1);
    unlink(at("latest"));
}

static void test_replace_link_replaces_links_only(void **state)
{
    stave_error error = {0};
    write_file(at("latest"), "mine");
    check_failed(stave__os_replace_link(at("latest"), "run 1", &error), &error, "latest");
    check_file(at("latest"), "mine");
    unlink(at("latest"));

    error = (stave_error){0};
    assert_int_equal(mkdir(at("latest"), 0700), 0);
    check_failed(stave__os_replace_link(at("latest"), "run 1", &error), &error, "latest");
    assert_int_equal(entries(), 1);
    rmdir(at("latest"));

    error = (stave_error){0};
    check_failed(stave__os_replace_link(at("missing/latest"), "run 1", &error), &error,
                 "missing/latest");
}

static void check_reads_back(int fd)
{
    char bytes[8] = {0};
    stave_error error = {0};
    assert_int_equal(stave__os_write_at(fd, "world", 5, 100000, &error), STAVE_OK);
    assert_int_equal(stave__os_write_at(fd, "hello", 5, 0, &error), STAVE_OK);
    assert_int_equal(stave__os_read_at(fd, bytes, 5, 100000, &error), STAVE_OK);
    assert_string_equal(bytes, "world");
    assert_int_equal(stave__os_read_at(fd, bytes, 5, 0, &error), STAVE_OK);
    assert_string_equal(bytes, "hello");
    assert_int_equal(stave__os_read_at(fd, bytes, 6, 100000, &error), STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
}

static void test_temporary(void **state)
{
    int fd = -1;
    assert_int_equal(stave__os_temporary(folder, &fd, NULL), STAVE_OK);
    assert_int_equal(entries(), 0); /* it has no name */
    assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    check_reads_back(fd);
    stave__os_close(fd);
    stave__os_close(-1); /* harmless */
}

/* That one can be made where TMPDIR says, and that it is TMPDIR which says it. */
static void test_temporary_of_the_environment(void **state)
{
    int fd = -1;
    const char *before = getenv("TMPDIR");
    char *kept = before != NULL ? strdup(before) : NULL;
    setenv("TMPDIR", folder, 1);
    assert_int_equal(stave__os_temporary(NULL, &fd, NULL), STAVE_OK);
    stave__os_close(fd);
    stave_error error = {0};
    setenv("TMPDIR", at("missing"), 1);
    check_failed(stave__os_temporary(NULL, &fd, &error), &error, "missing");
    setenv("TMPDIR", "", 1);
    assert_int_equal(stave__os_temporary(NULL, &fd, NULL), STAVE_OK);
    stave__os_close(fd);
    unsetenv("TMPDIR");
    assert_int_equal(stave__os_temporary(NULL, &fd, NULL), STAVE_OK);
    stave__os_close(fd);
    if (kept != NULL)
        setenv("TMPDIR", kept, 1);
    free(kept);
}

static void test_temporary_that_cannot_be(void **state)
{
    int fd = 77;
    stave_error error = {0};
    check_failed(stave__os_temporary(at("missing"), &fd, &error), &error, "missing");
    assert_int_equal(fd, 77);
}

/* ---- inputs and streams ---------------------------------------------------------------------- */

static void test_open_input(void **state)
{
    int fd = -1;
    char bytes[8] = {0};
    stave_error error = {0};
    write_file(at("in.bin"), "text");
    assert_int_equal(stave__os_open_input(at("in.bin"), &fd, &error), STAVE_OK);
    assert_true(stave__os_read(fd, bytes, 3, &error) == 3);
    assert_true(stave__os_read(fd, bytes + 3, 5, &error) == 1);
    assert_true(stave__os_read(fd, bytes, 5, &error) == 0);
    assert_string_equal(bytes, "text");
    stave__os_close(fd);
    unlink(at("in.bin"));

    check_failed(stave__os_open_input(at("in.bin"), &fd, &error), &error, "in.bin");
    error = (stave_error){0};
    check_failed(stave__os_open_input(folder, &fd, &error), &error, folder);
}

static void test_links_to_inputs(void **state)
{
    int fd = -1;
    stave_error error = {0};
    assert_int_equal(symlink("run.bin", at("latest")), 0);
    check_failed(stave__os_open_input(at("latest"), &fd, &error), &error,
                 "latest: it points to run.bin, which is not there");
    assert_null(stave__os_real_path(at("latest")));

    write_file(at("run.bin"), "text");
    char *link = stave__os_real_path(at("latest")), *file = stave__os_real_path(at("run.bin"));
    assert_string_equal(link, file);
    assert_string_equal(strrchr(link, '/'), "/run.bin");
    free(link);
    free(file);
    unlink(at("latest"));
    unlink(at("run.bin"));
}

static void test_streams_that_fail(void **state)
{
    char byte = 0;
    stave_error error = {0};
    assert_true(stave__os_read(-1, &byte, 1, &error) == STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
    error = (stave_error){0};
    assert_int_equal(stave__os_write(-1, "it", &byte, 1, &error), STAVE_E_IO);
    assert_int_equal(error.status, STAVE_E_IO);
    assert_int_equal(stave__os_write_at(-1, &byte, 1, 0, NULL), STAVE_E_IO);
    assert_int_equal(stave__os_read_at(-1, &byte, 1, 0, NULL), STAVE_E_IO);
    assert_int_equal(stave__os_write(-1, "it", &byte, 0, NULL), STAVE_OK); /* nothing to do */
    assert_int_equal(stave__os_terminal_width(-1), 0);
}

static void test_files_are_known_whatever_their_name(void **state)
{
    int fd, pipes[2];
    write_file(at("one"), "text");
    write_file(at("two"), "text");
    assert_int_equal(symlink("one", at("link")), 0);
    assert_int_equal(stave__os_open_input(at("one"), &fd, NULL), STAVE_OK);
    struct stave__os_identity one = stave__os_identify(fd);
    assert_true(one.regular);
    assert_true(stave__os_is_same_file(at("one"), &one));
    assert_true(stave__os_is_same_file(at("link"), &one));
    assert_false(stave__os_is_same_file(at("two"), &one));
    assert_false(stave__os_is_same_file(at("three"), &one));
    stave__os_close(fd);
    assert_int_equal(pipe(pipes), 0);
    assert_false(stave__os_identify(pipes[0]).regular);
    close(pipes[0]);
    close(pipes[1]);
    assert_false(stave__os_identify(-1).regular);
    unlink(at("link"));
    unlink(at("one"));
    unlink(at("two"));
}

/* The file keeps its mode and the link its target; nothing stands beside them before the commit. */
static void test_an_existing_file_is_replaced_behind_its_link(void **state)
{
    struct stat status;
    write_file(at("file"), "old");
    assert_int_equal(chmod(at("file"), 0640), 0);
    assert_int_equal(symlink("file", at("link")), 0);
    struct stave__os_file file = create(at("link"), "new");
    check_file(at("file"), "old");
    assert_int_equal(stave__os_commit(&file, false, NULL), STAVE_OK);
    check_file(at("file"), "new");
    assert_int_equal(lstat(at("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat(at("file"), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    unlink(at("link"));
    unlink(at("file"));
}

/* Two writers: the second is refused, until the first has committed or given up. */
static void test_an_output_that_is_being_written_is_refused(void **state)
{
    struct stave__os_file second;
    write_file(at("file"), "old");
    assert_int_equal(symlink("file", at("link")), 0);
    for (int give_up = 0; give_up < 2; give_up++) {
        stave_error error = {0};
        struct stave__os_file first = create(at("file"), "new");
        assert_int_equal(stave__os_create(at("link"), &second, &error), STAVE_E_STATE);
        assert_non_null(strstr(error.message, "link is being written by another process"));
        stave__os_discard(&second); /* harmless */
        if (give_up)
            stave__os_discard(&first);
        else
            assert_int_equal(stave__os_commit(&first, false, NULL), STAVE_OK);
        second = create(at("link"), "newer");
        check_file(at("file"), give_up ? "newer" : "new");
        assert_int_equal(stave__os_commit(&second, false, NULL), STAVE_OK);
        check_file(at("file"), "newer");
    }
    unlink(at("link"));
    unlink(at("file"));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_commit),
        IN_FOLDER(test_commit_replaces),
        IN_FOLDER(test_discard),
        IN_FOLDER(test_exclusive_commit),
        IN_FOLDER(test_discard_after_a_name_was_taken),
        IN_FOLDER(test_output_to_a_pipe),
        IN_FOLDER(test_outputs_that_cannot_be),
        IN_FOLDER(test_commit_that_cannot_be),
        IN_FOLDER(test_make_dirs),
        cmocka_unit_test(test_make_dirs_of_no_name),
        IN_FOLDER(test_replace_link),
        IN_FOLDER(test_replace_link_replaces_links_only),
        IN_FOLDER(test_temporary),
        IN_FOLDER(test_temporary_of_the_environment),
        IN_FOLDER(test_temporary_that_cannot_be),
        IN_FOLDER(test_open_input),
        IN_FOLDER(test_links_to_inputs),
        IN_FOLDER(test_files_are_known_whatever_their_name),
        IN_FOLDER(test_an_existing_file_is_replaced_behind_its_link),
        IN_FOLDER(test_an_output_that_is_being_written_is_refused),
        cmocka_unit_test(test_streams_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
