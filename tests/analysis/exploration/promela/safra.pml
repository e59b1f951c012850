/* SPDX-License-Identifier: Apache-2.0 */

/* Safra's algorithm (Dijkstra, EWD 998), written from the note and not from Faultline's code, at the
 * abstraction of channels.pml. A probe that proves nothing is followed by another at once, and the
 * token that the root begins with proves nothing.
 */
#include "channels.pml"

#define APP 1
#define TOKEN 2
#define OVER 3

/* kind; computation, or the colour of the token; the count of the token */
chan channel[N * N] = [MOST] of { byte, byte, short };

short c[N];       /* sent less received */
bool black[N];    /* has received since the token's last visit */
bool holds[N];    /* the token */
byte token_black; /* of the token that a process holds; 0 while it is on its way */
short token_q;

#define TELL(i, j) CHANNEL(i, j)!OVER, 0, 0

/* The token stays with an active process until it is passive. */
#define HAND_ON(i)                                                            \
  if                                                                          \
  :: !(holds[i] && IDLE(i)) -> skip                                           \
  :: else ->                                                                  \
     holds[i] = false;                                                        \
     if                                                                       \
     :: i != 0 ->                                                             \
        kind = token_black | black[i];                                        \
        count = token_q + c[i];                                               \
        CHANNEL(i, i - 1)!TOKEN, kind, count                                  \
     :: else ->                                                               \
        if                                                                    \
        :: token_black == 0 && !black[i] && c[i] + token_q == 0 -> ANNOUNCE(i) \
        :: else -> CHANNEL(0, N - 1)!TOKEN, 0, 0; black[0] = false            \
        fi                                                                    \
     fi;                                                                      \
     if                                                                       \
     :: i != 0 -> black[i] = false                                            \
     :: else -> skip                                                          \
     fi;                                                                      \
     token_black = 0;                                                         \
     token_q = 0                                                              \
  fi

#define FROM(j)                                                  \
  :: d_step {                                                    \
       CHANNEL(j, _pid)?kind, value, count;                      \
       if                                                        \
       :: kind == APP ->                                         \
          c[_pid] = c[_pid] - 1;                                 \
          black[_pid] = true;                                    \
          work[_pid]!value                                       \
       :: kind == TOKEN ->                                       \
          holds[_pid] = true;                                    \
          token_black = value;                                   \
          token_q = count;                                       \
          HAND_ON(_pid)                                          \
       :: else -> ANNOUNCE(_pid)                                 \
       fi;                                                       \
     }

active [N] proctype process() {
end:
  do
  :: d_step {
       _pid == 0 && !started;
       started = true;
       holds[0] = true;
       token_black = 1;
       work[0]!H;
     }
  :: d_step {
       work[_pid]?value;
       if
       :: value > 0 ->
          CHANNEL(_pid, (_pid + 1) % N)!APP, value - 1, 0;
          CHANNEL(_pid, (_pid + 2) % N)!APP, value - 1, 0;
          c[_pid] = c[_pid] + 2
       :: else -> skip
       fi;
       HAND_ON(_pid)
     }
  FROM_ALL
  od
}
