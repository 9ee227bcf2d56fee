#ifndef FARKAS_FP_CONTRACT
#define FARKAS_FP_CONTRACT 1
#endif
static int farkas_state; /* 0: not asked for yet, 1: there is a device, -1: there is none, or something went wrong */
static double farkas_began, farkas_copied; /* when the kernels of a region began, and how long copies took */
static int farkas_finish(void);
static double farkas_now(void)
{
  extern void *dlsym(void *, const char *);
  int (*clock)(int, void *) = dlsym(0, "clock_gettime");
  long at[2] = {0, 0};
  if (clock) clock(1, at);
  return at[0] + 1e-9 * at[1];
}
__attribute__((unused)) static int farkas_away(const void *a, __SIZE_TYPE__ n, const void *b, __SIZE_TYPE__ m)
{
  __UINTPTR_TYPE__ x = (__UINTPTR_TYPE__)a, y = (__UINTPTR_TYPE__)b;
  return !n || !m || x + n <= y || y + m <= x;
}
static int farkas_say(const char *what, long code)
{
  extern char *getenv(const char *);
  extern int dprintf(int, const char *, ...);
  if (getenv("FARKAS_VERBOSE")) dprintf(2, "farkas: " FARKAS_DEVICE ": %s (%ld)\n", what, code);
  farkas_state = -1;
  return 0;
}
static void farkas_lost(int code)
{
  extern int dprintf(int, const char *, ...);
  dprintf(2, "farkas: " FARKAS_DEVICE ": results cannot be copied back (%d)\n", code);
  __builtin_abort();
}
static int farkas_done(void)
{
  extern char *getenv(const char *);
  extern int dprintf(int, const char *, ...);
  int code = farkas_state > 0 ? farkas_finish() : 0;
  if (code) farkas_say("the kernels", code);
  if (farkas_state > 0 && getenv("FARKAS_VERBOSE"))
    dprintf(2, "farkas: " FARKAS_DEVICE ": copied in %.6f s, kernels %.6f s\n", farkas_copied, farkas_now() - farkas_began);
  farkas_copied = farkas_began = 0;
  return farkas_state > 0;
}
