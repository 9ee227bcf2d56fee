// Runs CUDA kernels on a processor, to test those with tensor cores without a GPU: blocks run one after another, each thread of a block is a context of its own,
// which gives way where threads wait for one another. Products of warps are computed by their definition, which takes nothing from the printer.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define FARKAS_FP_CONTRACT 0

struct Three { unsigned x, y, z; };
static Three threadIdx, blockIdx, gridDim;

// What some threads wait for: those that are there, and how often all of them were.
struct Meeting { unsigned there, turn; };
// The part of a product that a thread has.
struct Part { unsigned a[4], b[2]; };
struct Warp { Meeting meeting; bool votes[32]; Part parts[32]; };
struct Thread { ucontext_t context; Three number; bool is_done; std::vector<char> stack; };

static std::vector<Thread> threads;
static std::vector<Warp> warps;
static Meeting of_block;
static ucontext_t scheduler;
static unsigned current, n_products;
static std::function<void()> kernel;

static void give_way() {
  swapcontext(&threads[current].context, &scheduler);
}

static void meet(Meeting &meeting, unsigned n) {
  const unsigned turn = meeting.turn;
  if (++meeting.there == n) {
    meeting.there = 0;
    meeting.turn++;
  }
  while (meeting.turn == turn) give_way();
}

static void __syncthreads() {
  meet(of_block, threads.size());
}

static Warp &own_warp() {
  return warps[current / 32];
}

static bool __all_sync(unsigned, bool vote) {
  Warp &warp = own_warp();
  warp.votes[current % 32] = vote;
  meet(warp.meeting, 32);
  bool all = true;
  for (bool one : warp.votes) all = all && one;
  meet(warp.meeting, 32);
  return all;
}

static float __uint_as_float(unsigned bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static float farkas_from_half(unsigned short bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0 || exponent == 31) {
    puts("only normal numbers are converted here");
    exit(1);
  }
  const float x = __uint_as_float((unsigned)(exponent + 112) << 23 | (unsigned)fraction << 13);
  return bits >> 15 ? -x : x;
}

static float of_bf16(unsigned short bits) {
  return __uint_as_float((unsigned)bits << 16);
}

// PTX's mma.m16n8k16: row `row` and column `column` of the operands, from the threads that have them.
static unsigned short at_row(const Warp &warp, int row, int k) {
  const Part &part = warp.parts[row % 8 * 4 + k % 8 / 2];
  return part.a[row / 8 + k / 8 * 2] >> k % 2 * 16;
}

static unsigned short at_column(const Warp &warp, int k, int column) {
  const Part &part = warp.parts[column * 4 + k % 8 / 2];
  return part.b[k / 8] >> k % 2 * 16;
}

static void product(float (*value)(unsigned short), float *sums[4], const Part &own) {
  Warp &warp = own_warp();
  const int lane = current % 32;
  warp.parts[lane] = own;
  meet(warp.meeting, 32);
  for (int at = 0; at < 4; at++) {
    const int row = lane / 4 + at / 2 * 8, column = lane % 4 * 2 + at % 2;
    double sum = *sums[at];
    for (int k = 0; k < 16; k++)
      sum += (double)value(at_row(warp, row, k)) * value(at_column(warp, k, column));
    *sums[at] = (float)sum;
  }
  n_products += lane == 0;
  meet(warp.meeting, 32);
}

static void farkas_mma_half(float &c0, float &c1, float &c2, float &c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  float *sums[] = {&c0, &c1, &c2, &c3};
  product(farkas_from_half, sums, {{a0, a1, a2, a3}, {b0, b1}});
}

static void farkas_mma_bf16(float &c0, float &c1, float &c2, float &c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
  float *sums[] = {&c0, &c1, &c2, &c3};
  product(of_bf16, sums, {{a0, a1, a2, a3}, {b0, b1}});
}

static void run_thread() {
  kernel();
  threads[current].is_done = true;
  give_way();
}

// All threads of a block, in turns, from the last one on, until each is done.
static void run_block() {
  unsigned n_turns = 0;
  for (bool is_left = true; is_left; n_turns++) {
    if (n_turns > 1000000) {
      puts("some thread waits for ever");
      exit(1);
    }
    is_left = false;
    for (unsigned at = threads.size(); at-- > 0;) {
      if (threads[at].is_done) continue;
      is_left = true;
      current = at;
      threadIdx = threads[at].number;
      swapcontext(&scheduler, &threads[at].context);
    }
  }
}

static void launch(Three grid, Three block, std::function<void()> run) {
  kernel = run;
  gridDim = grid;
  for (unsigned at = 0; at < grid.x * grid.y; at++) {
    blockIdx = {at % grid.x, at / grid.x, 0};
    threads = std::vector<Thread>(block.x * block.y * block.z);
    warps = std::vector<Warp>(threads.size() / 32);
    of_block = {0, 0};
    for (unsigned n = 0; n < threads.size(); n++) {
      Thread &thread = threads[n];
      thread.number = {n % block.x, n / block.x % block.y, n / block.x / block.y};
      thread.stack.resize(1 << 16);
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.data();
      thread.context.uc_stack.ss_size = thread.stack.size();
      makecontext(&thread.context, run_thread, 0);
    }
    run_block();
  }
}
