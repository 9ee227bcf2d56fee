static void *farkas_call(const char *name)
{
  extern void *dlopen(const char *, int);
  extern void *dlsym(void *, const char *);
  static void *driver, *compiler;
  const char *versions[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  if (!driver) driver = dlopen("libcuda.so.1", 2);
  for (int i = 0; i < 4 && !compiler; i++) compiler = dlopen(versions[i], 2);
  return name[0] == 'n' ? compiler ? dlsym(compiler, name) : 0 : driver ? dlsym(driver, name) : 0;
}
static char *farkas_compiled(int device)
{
  int (*attribute)(int *, int, int) = farkas_call("cuDeviceGetAttribute");
  int (*create)(void **, const char *, const char *, int, void *, void *) = farkas_call("nvrtcCreateProgram");
  int (*compile)(void *, int, const char *const *) = farkas_call("nvrtcCompileProgram");
  int (*log_of)(void *, char *) = farkas_call("nvrtcGetProgramLog");
  int (*log_size)(void *, __SIZE_TYPE__ *) = farkas_call("nvrtcGetProgramLogSize");
  int (*size_of)(void *, __SIZE_TYPE__ *) = farkas_call("nvrtcGetCUBINSize");
  int (*code_of)(void *, char *) = farkas_call("nvrtcGetCUBIN");
  char arch[] = "--gpu-architecture=sm_000";
  const char *options[] = {arch, FARKAS_FP_CONTRACT ? "--fmad=true" : "--fmad=false", "--std=c++17", "-default-device"};
  int major = 0, minor = 0, code;
  void *program = 0;
  __SIZE_TYPE__ n = 0;
  if (!create || !compile || !log_of || !log_size || !size_of || !code_of) return farkas_say("no NVRTC", 0), (char *)0;
  if (attribute(&major, 75, device) || attribute(&minor, 76, device)) return farkas_say("no architecture", 0), (char *)0;
  char *digits = arch + sizeof arch - 4;
  if (major > 9) *digits++ = '0' + major / 10;
  *digits++ = '0' + major % 10;
  *digits++ = '0' + minor;
  *digits = 0;
  code = create(&program, farkas_source, "kernels.cu", 0, 0, 0);
  if (!code) code = compile(program, 4, options);
  if (code) {
    char *log = !log_size(program, &n) ? __builtin_malloc(n + 1) : 0;
    if (log) log_of(program, log);
    return farkas_say(log ? log : "no compilation", code), (char *)0;
  }
  char *image = !size_of(program, &n) ? __builtin_malloc(n) : 0;
  if (image && code_of(program, image)) return farkas_say("no code", 0), (char *)0;
  return image;
}
static int farkas_ready(void)
{
  if (farkas_state) return farkas_state > 0;
  int (*init)(unsigned) = farkas_call("cuInit");
  int (*device_at)(int *, int) = farkas_call("cuDeviceGet");
  int (*retain)(void **, int) = farkas_call("cuDevicePrimaryCtxRetain");
  int (*current)(void *) = farkas_call("cuCtxSetCurrent");
  int (*load)(void **, const void *) = farkas_call("cuModuleLoadData");
  int (*function)(void **, void *, const char *) = farkas_call("cuModuleGetFunction");
  void *context, *module;
  int device, code;
  if (!init || !device_at || !retain || !current || !load || !function) return farkas_say("no driver", 0);
  if ((code = init(0)) || (code = device_at(&device, 0))) return farkas_say("no device", code);
  if ((code = retain(&context, device)) || (code = current(context))) return farkas_say("no context", code);
  char *image = farkas_compiled(device);
  if (!image) return 0;
  if ((code = load(&module, image))) return farkas_say("no module", code);
  for (unsigned i = 0; i < sizeof farkas_kernels / sizeof *farkas_kernels; i++)
    if ((code = function(&farkas_kernels[i].handle, module, farkas_kernels[i].name))) return farkas_say(farkas_kernels[i].name, code);
  farkas_state = 1;
  return 1;
}
static void *farkas_memory(__SIZE_TYPE__ bytes)
{
  int (*allocate)(void **, __SIZE_TYPE__) = farkas_call("cuMemAlloc_v2");
  void *there = 0;
  int code = farkas_state > 0 ? allocate(&there, bytes ? bytes : 1) : 0;
  if (!there) farkas_say("no memory", code);
  return there;
}
static void farkas_in(void *there, __SIZE_TYPE__ at, const void *here, __SIZE_TYPE__ bytes)
{
  int (*copy)(void *, const void *, __SIZE_TYPE__) = farkas_call("cuMemcpyHtoD_v2");
  double start = farkas_now();
  int code = farkas_state > 0 && bytes ? copy((char *)there + at, here, bytes) : 0;
  farkas_copied += farkas_now() - start;
  if (code) farkas_say("copy to the device", code);
}
static void farkas_out(void *here, void *there, __SIZE_TYPE__ at, __SIZE_TYPE__ bytes)
{
  int (*copy)(void *, void *, __SIZE_TYPE__) = farkas_call("cuMemcpyDtoH_v2");
  int code = bytes ? copy(here, (char *)there + at, bytes) : 0;
  if (code) farkas_lost(code);
}
static void farkas_release(void *there)
{
  int (*release)(void *) = farkas_call("cuMemFree_v2");
  if (there) release(there);
}
static void farkas_run(int which, const long grid[3], void *const *args)
{
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void *const *, void **) = farkas_call("cuLaunchKernel");
  const struct farkas_kernel *kernel = &farkas_kernels[which];
  if (!farkas_began) farkas_began = farkas_now();
  unsigned n[3];
  for (int i = 0; i < 3; i++) {
    n[i] = grid[i] < 1 ? 1 : grid[i] < 65535 ? grid[i] : 65535;
  }
  int code = farkas_state > 0 ? launch(kernel->handle, n[0], n[1], n[2], kernel->threads[0], kernel->threads[1], kernel->threads[2], 0, 0, args, 0) : 0;
  if (code) farkas_say(kernel->name, code);
}
static int farkas_finish(void)
{
  int (*finish)(void) = farkas_call("cuCtxSynchronize");
  return finish();
}
