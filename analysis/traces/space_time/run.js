"use strict";

// ---- the run -----------------------------------------------------------------------------------

const run = JSON.parse(document.getElementById("run").textContent);
const byId = (id) => document.getElementById(id);

/// The columns of the lists in `run`; `sent` and `ended` are added below: the events of a message.
const M = { from: 0, to: 1, kind: 2, begin: 3, inject: 4, end: 5, fate: 6, bytes: 7, phase: 8,
            beginOrder: 9, endOrder: 10, sent: 11, ended: 12 };
const S = { kind: 0, actor: 1, begin: 2, end: 3, core: 4, order: 5 };
const HANDLING = 0, COMPUTING = 1, ACTIVE = 2, DEAD = 3;

/// The group of a message: application, control or detection.
const groupOf = (message) => run.kinds[message[M.kind]].group;
const kindName = (message) => run.kinds[message[M.kind]].name;
const who = (actor) => actor < run.processes ? "process " + actor
                                             : "daemon of node " + (actor - run.processes);

/// The name of a row, in one line, in two narrow ones, and in one as short as possible.
function rowNames(actor) {
  const node = run.nodes[actor];
  if (actor >= run.processes)
    return { long: who(actor), lines: ["daemon", "of node " + node], short: "daemon n" + node };
  const lines = ["process " + actor, "node " + node];
  return { long: lines.join(", "), lines, short: "p" + actor + " n" + node };
}

const DAEMON = "a program that runs on the node beside the job's processes, which die with it; " +
  (run.onDaemons.length === 0 ? "no protocol of this run works there"
                              : "in this run it does the work of " + run.onDaemons.join(" and "));

function rowMeaning(actor) {
  if (actor >= run.processes) return DAEMON;
  return "rank " + actor + " of the job, which starts on node " + run.nodes[actor] +
    ", a computer of the machine";
}

/// Daemons have a row if something happens at them.
const rows = (() => {
  const used = new Set();
  run.messages.forEach((m) => { used.add(m[M.from]); used.add(m[M.to]); });
  run.spans.forEach((s) => used.add(s[S.actor]));
  run.moments.forEach((m) => used.add(m.actor));
  return run.nodes.map((node, actor) => ({ actor, node }))
    .filter((row) => row.actor < run.processes || used.has(row.actor))
    .sort((a, b) => a.node - b.node || a.actor - b.actor);
})();
const rowOf = new Map(rows.map((row, index) => [row.actor, index]));

/// Groups of things that can be left out.
const groups = [
  { key: "application", words: "application messages", on: true },
  { key: "control", words: "control messages", on: true },
  { key: "detection", words: "messages of failure detection", on: true },
  { key: "lost", words: "lost messages", on: true },
  { key: "failure", words: "failures", on: true },
  { key: "announcement", words: "phases and announcements", on: true },
  { key: "mark", words: "marks", on: true },
  { key: "compute", words: "computing", on: true },
];
const shown = (key) => groups.find((group) => group.key === key).on;
const kindOn = run.kinds.map(() => true);

function messageShown(message) {
  const fate = message[M.fate];
  if (!kindOn[message[M.kind]]) return false;
  if (run.fates[fate] !== "" && !shown("lost")) return false;
  return shown(groupOf(message));
}

// ---- time --------------------------------------------------------------------------------------

const UNITS = [["s", 1], ["ms", 1e3], ["µs", 1e6], ["ns", 1e9]];

function unitFor(span_s) {
  return UNITS.find((unit) => span_s * unit[1] >= 1) || UNITS[3];
}

/// The number of digits that tell times apart that differ by `step_s`.
function timeText(time_s, step_s, unit) {
  const digits = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step_s * unit[1]) - 1e-9)));
  return (time_s * unit[1]).toFixed(digits);
}

function durationText(time_s) {
  if (time_s === 0) return "0 s";
  const unit = unitFor(Math.abs(time_s));
  return Number((time_s * unit[1]).toPrecision(4)) + " " + unit[0];
}

// ---- events, for the table and for going through them ------------------------------------------

function messageEvents(message, index) {
  const group = groupOf(message);
  const name = (group === "application" ? "" : group + " ") + kindName(message);
  const details = message[M.bytes] + " B" + (run.phases > 1 ? ", phase " + message[M.phase] : "");
  const fate = run.fates[message[M.fate]];
  const sent = { time: message[M.begin], actor: message[M.from], message: index, first: true,
                 order: message[M.beginOrder],
                 what: "sends " + name + " to " + who(message[M.to]), details };
  const ended = { time: message[M.end], actor: message[M.to], message: index, cause: sent,
                  order: message[M.endOrder],
                  what: "handles " + name + " from " + who(message[M.from]),
                  details: durationText(message[M.end] - message[M.begin]) +
                    " after it was sent" };
  if (fate !== "") {
    ended.bad = true;
    ended.what = name + " from " + who(message[M.from]) + " is not handled";
    ended.details = fate;
  }
  message[M.sent] = sent;
  message[M.ended] = ended;
  return [sent, ended];
}

const allEvents = (() => {
  const list = [];
  run.messages.forEach((message, index) => list.push(...messageEvents(message, index)));
  run.spans.forEach((span) => {
    if (span[S.kind] === COMPUTING)
      list.push({ time: span[S.begin], actor: span[S.actor], group: "compute", what: "computes",
                  order: span[S.order],
                  details: "for " + durationText(span[S.end] - span[S.begin]) });
  });
  run.moments.forEach((moment) => list.push({ time: moment.time, actor: moment.actor,
                                              group: moment.group, what: moment.what,
                                              dead: moment.dead,
                                              order: moment.order, details: "" }));
  if (run.over !== null)
    list.push({ time: run.over, actor: null, order: Infinity, what: "the work is over",
                details: "ground truth" });
  run.violations.forEach((violation) => list.push(
    { time: violation.time, actor: violation.actor, bad: true, violation: true,
      order: Infinity,
      what: "violation: " + violation.kind, details: violation.detail }));
  return list.sort((a, b) => a.time - b.time || (a.order < b.order ? -1 : a.order > b.order));
})();

function eventShown(event) {
  if (event.message !== undefined) return messageShown(run.messages[event.message]);
  return event.group === undefined || shown(event.group);
}

let events = allEvents;
let picked = null;

const isDeath = (event) => event.group === "failure" && event.what === "dies";
/// Events of the run as a whole, from the ground truth.
const isVerdict = (event) => event.actor === null || event.violation === true;

// ---- logical time ------------------------------------------------------------------------------

/// Lamport's clocks (Communications of the ACM 21(7), 1978: IR1 and IR2). The logical time of an
/// event is one more than the latest of those of the event before it in its row and of its cause:
/// the sending of the message, or the death that is heard of. Deaths at one moment are one fault,
/// and later than all that its victims did. A verdict is later than all that was before it, and
/// earlier than all that comes after it.
const lastLogical = (() => {
  const clocks = new Map(), deaths = new Map(), faults = new Map();
  const victims = allEvents.filter(isDeath);
  let last = 0, verdict = 0;
  const clock = (event) => Math.max(verdict, clocks.get(event.actor) || 0);
  const fault = (event) => {
    if (!faults.has(event.time))
      faults.set(event.time, victims.filter((other) => other.time === event.time).reduce(
        (latest, other) => Math.max(latest, clock(other)), 0));
    return faults.get(event.time);
  };
  const causeOf = (event) => event.dead == null ? event.cause : deaths.get(event.dead);
  for (const event of allEvents) {
    const cause = causeOf(event);
    if (isVerdict(event)) event.logical = last + 1;
    else event.logical = 1 + Math.max(clock(event), isDeath(event) ? fault(event) : 0,
                                      cause === undefined ? 0 : cause.logical);
    last = Math.max(last, event.logical);
    if (isVerdict(event)) verdict = event.logical;
    else clocks.set(event.actor, event.logical);
    if (isDeath(event)) deaths.set(event.actor, event);
  }
  return last;
})();

/// The interesting part ends before a run that waits in vain does.
const lastTime = allEvents.reduce(
  (last, event) => event.violation ? last : Math.max(last, event.time), 1e-12);
