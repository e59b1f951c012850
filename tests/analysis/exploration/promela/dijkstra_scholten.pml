/* SPDX-License-Identifier: Apache-2.0 */

/* Dijkstra and Scholten's algorithm (Inf. Proc. Letters 11(1), 1980), written from the paper and not
 * from Faultline's code, at the abstraction of channels.pml. A message that comes to an engaged process
 * is acknowledged where it arrives.
 */
#include "channels.pml"

#define APP 1
#define ACK 2
#define OVER 3
#define NOBODY 255

/* kind; computation */
chan channel[N * N] = [MOST] of { byte, byte };

byte parent[N] = NOBODY;
byte deficit[N]; /* messages sent and not acknowledged */

#define TELL(i, j) CHANNEL(i, j)!OVER, 0

#define TRY_DISENGAGE(i)                             \
  if                                                 \
  :: !(IDLE(i) && deficit[i] == 0) -> skip           \
  :: else ->                                         \
     if                                              \
     :: i == 0 -> ANNOUNCE(i)                        \
     :: i != 0 && parent[i] != NOBODY ->             \
        CHANNEL(i, parent[i])!ACK, 0;                \
        parent[i] = NOBODY                           \
     :: else -> skip                                 \
     fi                                              \
  fi

#define FROM(j)                                                            \
  :: d_step {                                                              \
       CHANNEL(j, _pid)?kind, value;                                       \
       if                                                                  \
       :: kind == APP ->                                                   \
          if                                                               \
          :: _pid == 0 || parent[_pid] != NOBODY -> CHANNEL(_pid, j)!ACK, 0 \
          :: else -> parent[_pid] = j                                      \
          fi;                                                              \
          work[_pid]!value                                                 \
       :: kind == ACK ->                                                   \
          deficit[_pid] = deficit[_pid] - 1;                               \
          TRY_DISENGAGE(_pid)                                              \
       :: else -> ANNOUNCE(_pid)                                           \
       fi;                                                                 \
     }

active [N] proctype process() {
end:
  do
  :: d_step {
       _pid == 0 && !started;
       started = true;
       work[0]!H;
     }
  :: d_step {
       work[_pid]?value;
       if
       :: value > 0 ->
          CHANNEL(_pid, (_pid + 1) % N)!APP, value - 1;
          CHANNEL(_pid, (_pid + 2) % N)!APP, value - 1;
          deficit[_pid] = deficit[_pid] + 2
       :: else -> skip
       fi;
       TRY_DISENGAGE(_pid)
     }
  FROM_ALL
  od
}
