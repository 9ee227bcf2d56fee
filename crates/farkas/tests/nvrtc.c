/* Compiles CUDA C++ with NVRTC, found when it runs: nvrtc LIBRARY FILE ARCHITECTURE... Prints what the compiler says. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *find(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(2);
    }
    return found;
}

int main(int argc, char **argv)
{
    void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW) : 0;
    if (!library) {
        fprintf(stderr, "%s\n", argc > 3 ? dlerror() : "usage: nvrtc LIBRARY FILE ARCHITECTURE...");
        return 2;
    }
    int (*create)(void **, const char *, const char *, int, const char **, const char **);
    int (*compile)(void *, int, const char **);
    int (*log_size)(void *, size_t *);
    int (*log_text)(void *, char *);
    *(void **)&create = find(library, "nvrtcCreateProgram");
    *(void **)&compile = find(library, "nvrtcCompileProgram");
    *(void **)&log_size = find(library, "nvrtcGetProgramLogSize");
    *(void **)&log_text = find(library, "nvrtcGetProgramLog");
    FILE *file = fopen(argv[2], "rb");
    char *source = calloc(1, 1 << 24);
    if (!file || !source || fread(source, 1, (1 << 24) - 1, file) == 0) {
        fprintf(stderr, "cannot read %s\n", argv[2]);
        return 2;
    }
    int failed = 0;
    for (int at = 3; at < argc; at++) {
        char architecture[64];
        snprintf(architecture, sizeof architecture, "--gpu-architecture=%s", argv[at]);
        const char *options[] = {architecture, "--std=c++17", "--ptxas-options=-v"};
        void *program;
        size_t size = 0;
        failed |= create(&program, source, "kernels.cu", 0, 0, 0);
        failed |= compile(program, 3, options);
        log_size(program, &size);
        char *text = calloc(1, size + 1);
        log_text(program, text);
        fprintf(failed ? stderr : stdout, "%s\n%s\n", argv[at], text);
        free(text);
    }
    return failed != 0;
}
