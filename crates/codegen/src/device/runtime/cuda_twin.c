static void *farkas_twin(void *there, __SIZE_TYPE__ bytes)
{
  int (*allocate)(void **, __SIZE_TYPE__) = farkas_call("cuMemAlloc_v2");
  int (*copy)(void *, const void *, __SIZE_TYPE__) = farkas_call("cuMemcpyDtoD_v2");
  void *twin = 0;
  if (bytes && allocate && copy && allocate(&twin, bytes)) twin = 0;
  if (twin && copy(twin, there, bytes)) farkas_release(twin), twin = 0;
  return twin;
}
