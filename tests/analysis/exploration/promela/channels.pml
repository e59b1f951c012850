/* SPDX-License-Identifier: Apache-2.0 */

/* What both models have in common: N processes, a fifo channel from each to each, and the program
 * that they run.
 *
 * A process has a queue of computations, of which it does one at a time. It is active while the queue
 * is not empty. Computation h sends h - 1 to each of the next two processes of the ring when it ends,
 * if h > 0; a message h that arrives joins the queue as computation h. Process 0 starts with
 * computation H, the others without work: 2, 6, 14, ... messages for H = 1, 2, 3, ...
 *
 * One event is one d_step: a message arrives, or a computation ends, with all that its process does in
 * answer. That is a step of Faultline's StepwiseEngine. The state before process 0 has started is the
 * only one that the engine does not count.
 */
#ifndef N
#define N 3
#endif
#ifndef H
#define H 2
#endif
#define MOST 8 /* a full channel would stop a d_step, which SPIN reports as an error */

#define CHANNEL(from, to) channel[(from) * N + (to)]
#define IDLE(i) (len(work[i]) == 0)

bool started = false;
bool announced[N];
chan work[N] = [MOST] of { byte };

/* What a d_step reads. Not part of the state. */
hidden byte kind, value, first;
hidden short count;

/* The end goes down a binary heap on the numbers of the processes. */
#define ANNOUNCE(i)                                               \
  first = 2 * (i) + 1;                                            \
  if                                                              \
  :: first < N -> TELL(i, first)                                  \
  :: else -> skip                                                 \
  fi;                                                             \
  if                                                              \
  :: first + 1 < N -> TELL(i, first + 1)                          \
  :: else -> skip                                                 \
  fi;                                                             \
  announced[i] = true

#if N == 4
#define FROM_ALL FROM(0) FROM(1) FROM(2) FROM(3)
#else
#define FROM_ALL FROM(0) FROM(1) FROM(2)
#endif
