/* farkas: memory that stays on the device from one region to the next. */
struct farkas_kept {
  struct farkas_kept *next; /* what began to stay before */
  char *here; /* where it begins on the host */
  void *there, *before; /* where it is on the device; what was there before kernels that are not done yet */
  __SIZE_TYPE__ bytes, at, end; /* how much there is; from where to where it has values */
  __SIZE_TYPE__ first, last; /* from where to where these are newer than the host's */
};
__attribute__((unused)) static void farkas_drop(struct farkas_kept *kept)
{
  struct farkas_kept none = {kept->next};
  farkas_release(kept->before);
  farkas_release(kept->there);
  *kept = none;
}
__attribute__((unused)) static void farkas_back(struct farkas_kept *kept)
{
  void *from = kept->before ? kept->before : kept->there;
  if (from && kept->first < kept->last) farkas_out(kept->here + kept->first, from, kept->first, kept->last - kept->first);
  farkas_drop(kept);
}
__attribute__((unused)) static void farkas_back_all(struct farkas_kept *kept)
{
  for (; kept; kept = kept->next) farkas_back(kept);
}
__attribute__((unused)) static void farkas_clear(struct farkas_kept *kept, const struct farkas_kept *own, const void *here, __SIZE_TYPE__ n, int is_written)
{
  for (; kept; kept = kept->next)
    if (kept != own && kept->there && (is_written || kept->first < kept->last) && !farkas_away(kept->here + kept->at, kept->end - kept->at, here, n))
      farkas_back(kept);
}
__attribute__((unused)) static void *farkas_take(struct farkas_kept *kept, __SIZE_TYPE__ bytes, __SIZE_TYPE__ at, const void *here, __SIZE_TYPE__ n, int is_written)
{
  char *begin = (char *)here - at;
  __SIZE_TYPE__ known = kept->end - kept->at;
  if (kept->there && (kept->here != begin || bytes > kept->bytes || (n && (n > known || at - kept->at > known - n)))) {
    /* From now on both parts are there, if they make one. */
    if (kept->here == begin && n && known && at < at + n && at <= kept->end && kept->at <= at + n) {
      n = (at + n > kept->end ? at + n : kept->end) - (at < kept->at ? at : kept->at);
      at = at < kept->at ? at : kept->at;
      bytes = bytes > kept->bytes ? bytes : kept->bytes;
    }
    farkas_back(kept);
  }
  if (!kept->there) {
    struct farkas_kept all = {kept->next, begin, farkas_memory(bytes), 0, bytes, at, at + n, 0, 0};
    *kept = all;
    if (kept->there) farkas_in(kept->there, at, begin + at, n);
  }
  if (kept->there && is_written && kept->first < kept->last) {
    kept->before = farkas_twin(kept->there, kept->bytes);
    if (!kept->before) {
      farkas_out(kept->here + kept->first, kept->there, kept->first, kept->last - kept->first);
      kept->first = kept->last = 0;
    }
  }
  return kept->there;
}
__attribute__((unused)) static void farkas_wrote(struct farkas_kept *kept, __SIZE_TYPE__ at, __SIZE_TYPE__ n)
{
  farkas_release(kept->before);
  kept->before = 0;
  if (!n) return;
  if (kept->first >= kept->last) kept->first = at, kept->last = at + n;
  if (at < kept->first) kept->first = at;
  if (at + n > kept->last) kept->last = at + n;
}
