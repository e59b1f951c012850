// ---- where things are drawn --------------------------------------------------------------------

/// The kinds of time that can run to the right, and the words of the page for each.
const AXES = {
  physical: "Physical time is that of the simulated machine, to scale. Thin bars: messages are " +
    "taken in or sent.",
  logical: "Logical time (Lamport 1978): each event stands right of the one before it in its row " +
    "and of what caused it, so that every message goes to the right. Dots: a message is sent or " +
    "handled. Lengths are no durations.",
  even: "Physical time, not to scale: the moments at which anything happens follow each other at " +
    "even distances.",
};
let axis = "physical";

const instants = [...new Set([0, ...allEvents.map((event) => event.time)])].sort((a, b) => a - b);

/// The position of a physical time: itself, or its place among the moments at which anything
/// happens.
function position(time_s) {
  if (axis === "physical") return time_s;
  let low = 0, high = instants.length - 1;
  if (time_s >= instants[high]) return high + (time_s > instants[high] ? 1 : 0);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (instants[middle] <= time_s) low = middle; else high = middle;
  }
  return low + (time_s - instants[low]) / (instants[high] - instants[low]);
}

const placeOf = (event) => axis === "logical" ? event.logical : position(event.time);

const stepsOf = (() => {
  const lists = new Map(rows.map((row) => [row.actor, []]));
  for (const event of allEvents) if (!isVerdict(event)) lists.get(event.actor).push(event);
  return lists;
})();

/// The index of the first step for which `is` holds, as it does for all later ones.
function firstStep(steps, is) {
  let low = 0, high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(steps[middle])) high = middle; else low = middle + 1;
  }
  return low;
}

/// The begin and end of a span: in logical time from its row's first event in it to half a step
/// past the last, or to the restart of the dead. Null if its row has no event in it.
function stretch(span) {
  const begin = span[S.begin], end = span[S.end];
  if (axis !== "logical") return [position(begin), position(end)];
  const steps = stepsOf.get(span[S.actor]);
  const first = firstStep(steps, (step) => step.time > begin ||
                          (step.time === begin && step.order >= span[S.order]));
  const past = firstStep(steps, (step) => step.time >= end);
  if (first === steps.length || (span[S.kind] === ACTIVE && past <= first)) return null;
  if (span[S.kind] === DEAD)
    return [steps[first].logical, end < run.end && past < steps.length ? steps[past].logical
                                                                       : lastLogical + 1];
  return [steps[first].logical, steps[Math.max(first, past - 1)].logical + 0.5];
}

const canvas = byId("canvas"), stage = byId("stage");
const pen = canvas.getContext("2d");
const view = { from: 0, to: 1, top: 0, width: 0, height: 0, lane: 0, gutter: 60 };
const AXIS = 30;
const NAME = 15;  // the height of a row's name

const x = (place) =>
  view.gutter + (place - view.from) / (view.to - view.from) * (view.width - view.gutter);
const y = (actor) => AXIS + 12 + (rowOf.get(actor) + 0.5) * view.lane - view.top;

function fullRange() {
  if (axis === "logical") return [0.5 - lastLogical * 0.01, lastLogical * 1.03 + 1];
  const last = axis === "even" ? instants.length - 1 : lastTime;
  const margin = Math.max(last, axis === "even" ? 1 : 0) * 0.03;
  return [-margin, last + 2 * margin];
}

function clampView() {
  const [low, high] = fullRange();
  const least = (high - low) * 1e-6;
  const width = Math.min(Math.max(view.to - view.from, least), high - low);
  const middle = (view.from + view.to) / 2;
  view.from = Math.min(Math.max(middle - width / 2, low), high - width);
  view.to = view.from + width;
  const tall = rows.length * view.lane + AXIS + 24;
  view.top = Math.min(Math.max(view.top, 0), Math.max(0, tall - view.height));
}

function zoom(factor, at) {
  const here = at === undefined ? (view.from + view.to) / 2 : at;
  view.from = here + (view.from - here) * factor;
  view.to = here + (view.to - here) * factor;
  clampView();
  draw();
}

function move(share) {
  const by = (view.to - view.from) * share;
  view.from += by;
  view.to += by;
  clampView();
  draw();
}

/// Rows that fit if they can be told apart, else rows just high enough to point at.
function usualLane() {
  return Math.min(84, Math.max(NAME, (heightForRows() - AXIS - 24) / rows.length));
}

function heightForRows() {
  return Math.max(260, innerHeight * 0.68);
}

function scaleRows(factor) {
  const middle = (view.top + view.height / 2 - AXIS) / view.lane;
  view.lane = Math.min(120, Math.max(2, view.lane * factor));
  view.top = middle * view.lane - view.height / 2 + AXIS;
  layOut();
}

function fit() {
  view.lane = usualLane();
  [view.from, view.to] = fullRange();
  view.top = 0;
  clampView();
  draw();
}
