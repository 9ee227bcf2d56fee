static void *farkas_context, *farkas_queue;
static void *farkas_call(const char *name)
{
  extern void *dlopen(const char *, int);
  extern void *dlsym(void *, const char *);
  static void *library;
  if (!library) library = dlopen("libOpenCL.so.1", 2);
  return library ? dlsym(library, name) : 0;
}
static int farkas_device(void **device)
{
  int (*platforms)(unsigned, void **, unsigned *) = farkas_call("clGetPlatformIDs");
  int (*devices)(void *, unsigned long, unsigned, void **, unsigned *) = farkas_call("clGetDeviceIDs");
  void *all[16];
  unsigned n = 0, found = 0;
  if (!platforms || !devices || platforms(16, all, &n)) return 0;
  for (int any = 0; any < 2; any++)
    for (unsigned i = 0; i < n && i < 16; i++)
      if (!devices(all[i], any ? 0xffffffffUL : 4, 1, device, &found) && found) return 1;
  return 0;
}
static int farkas_build(void *device, void *program)
{
  int (*build)(void *, unsigned, void *const *, const char *, void *, void *) = farkas_call("clBuildProgram");
  int (*info)(void *, void *, unsigned, __SIZE_TYPE__, void *, __SIZE_TYPE__ *) = farkas_call("clGetProgramBuildInfo");
  const char *options = FARKAS_FP_CONTRACT ? "-DFARKAS_FP_CONTRACT=1" : "-DFARKAS_FP_CONTRACT=0 -cl-fp32-correctly-rounded-divide-sqrt";
  int code = build(program, 1, &device, options, 0, 0);
  if (code == -43) code = build(program, 1, &device, FARKAS_FP_CONTRACT ? "-DFARKAS_FP_CONTRACT=1" : "-DFARKAS_FP_CONTRACT=0", 0, 0);
  if (code) {
    static char log[4096];
    info(program, device, 0x1183, sizeof log - 1, log, 0);
    return farkas_say(log, code);
  }
  return 1;
}
static int farkas_ready(void)
{
  if (farkas_state) return farkas_state > 0;
  void *(*context)(const long *, unsigned, void *const *, void *, void *, int *) = farkas_call("clCreateContext");
  void *(*queue)(void *, void *, unsigned long, int *) = farkas_call("clCreateCommandQueue");
  void *(*program)(void *, unsigned, const char *const *, const __SIZE_TYPE__ *, int *) = farkas_call("clCreateProgramWithSource");
  void *(*kernel)(void *, const char *, int *) = farkas_call("clCreateKernel");
  const char *source = farkas_source;
  void *device, *built;
  int code = 0;
  if (!context || !queue || !program || !kernel || !farkas_device(&device)) return farkas_say("no device", 0);
  farkas_context = context(0, 1, &device, 0, 0, &code);
  if (!farkas_context) return farkas_say("no context", code);
  farkas_queue = queue(farkas_context, device, 0, &code);
  built = farkas_queue ? program(farkas_context, 1, &source, 0, &code) : 0;
  if (!built) return farkas_say("no program", code);
  if (!farkas_build(device, built)) return 0;
  for (unsigned i = 0; i < sizeof farkas_kernels / sizeof *farkas_kernels; i++)
    if (!(farkas_kernels[i].handle = kernel(built, farkas_kernels[i].name, &code))) return farkas_say(farkas_kernels[i].name, code);
  farkas_state = 1;
  return 1;
}
static void *farkas_memory(__SIZE_TYPE__ bytes)
{
  void *(*create)(void *, unsigned long, __SIZE_TYPE__, void *, int *) = farkas_call("clCreateBuffer");
  int code = 0;
  void *there = farkas_state > 0 ? create(farkas_context, 1, bytes ? bytes : 1, 0, &code) : 0;
  if (!there) farkas_say("no memory", code);
  return there;
}
static void farkas_in(void *there, __SIZE_TYPE__ at, const void *here, __SIZE_TYPE__ bytes)
{
  int (*write)(void *, void *, unsigned, __SIZE_TYPE__, __SIZE_TYPE__, const void *, unsigned, void *, void *) = farkas_call("clEnqueueWriteBuffer");
  double start = farkas_now();
  int code = farkas_state > 0 && bytes ? write(farkas_queue, there, 1, at, bytes, here, 0, 0, 0) : 0;
  farkas_copied += farkas_now() - start;
  if (code) farkas_say("copy to the device", code);
}
static void farkas_out(void *here, void *there, __SIZE_TYPE__ at, __SIZE_TYPE__ bytes)
{
  int (*read)(void *, void *, unsigned, __SIZE_TYPE__, __SIZE_TYPE__, void *, unsigned, void *, void *) = farkas_call("clEnqueueReadBuffer");
  int code = bytes ? read(farkas_queue, there, 1, at, bytes, here, 0, 0, 0) : 0;
  if (code) farkas_lost(code);
}
static void farkas_release(void *there)
{
  int (*release)(void *) = farkas_call("clReleaseMemObject");
  if (there) release(there);
}
static void farkas_run(int which, const long grid[3], void *const *args)
{
  int (*set)(void *, unsigned, __SIZE_TYPE__, const void *) = farkas_call("clSetKernelArg");
  int (*enqueue)(void *, void *, unsigned, const __SIZE_TYPE__ *, const __SIZE_TYPE__ *, const __SIZE_TYPE__ *, unsigned, void *, void *) = farkas_call("clEnqueueNDRangeKernel");
  const struct farkas_kernel *kernel = &farkas_kernels[which];
  if (!farkas_began) farkas_began = farkas_now();
  __SIZE_TYPE__ all[3], local[3];
  int code = 0;
  for (int i = 0; i < 3; i++) {
    local[i] = kernel->threads[i];
    all[i] = local[i] * (grid[i] < 1 ? 1 : grid[i] < 65535 ? grid[i] : 65535);
  }
  for (int i = 0; i < kernel->n_args && !code; i++) code = set(kernel->handle, i, kernel->sizes[i], args[i]);
  if (farkas_state > 0 && !code) code = enqueue(farkas_queue, kernel->handle, 3, 0, all, local, 0, 0, 0);
  if (code) farkas_say(kernel->name, code);
}
static int farkas_finish(void)
{
  int (*finish)(void *) = farkas_call("clFinish");
  return finish(farkas_queue);
}
