static void *farkas_twin(void *there, __SIZE_TYPE__ bytes)
{
  void *(*create)(void *, unsigned long, __SIZE_TYPE__, void *, int *) = farkas_call("clCreateBuffer");
  int (*copy)(void *, void *, void *, __SIZE_TYPE__, __SIZE_TYPE__, __SIZE_TYPE__, unsigned, void *, void *) = farkas_call("clEnqueueCopyBuffer");
  int code = 0;
  void *twin = bytes && create && copy ? create(farkas_context, 1, bytes, 0, &code) : 0;
  if (twin && copy(farkas_queue, there, twin, 0, 0, bytes, 0, 0, 0)) farkas_release(twin), twin = 0;
  return twin;
}
