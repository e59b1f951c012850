// ---- where a time is drawn ---------------------------------------------------------------------

const instants = [...new Set([0, ...allEvents.map((event) => event.time)])].sort((a, b) => a - b);
let even = false;

/// The position of a time: itself, or its place among the moments at which anything happens.
function position(time_s) {
  if (!even) return time_s;
  let low = 0, high = instants.length - 1;
  if (time_s >= instants[high]) return high + (time_s > instants[high] ? 1 : 0);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (instants[middle] <= time_s) low = middle; else high = middle;
  }
  return low + (time_s - instants[low]) / (instants[high] - instants[low]);
}

const canvas = byId("canvas"), stage = byId("stage");
const pen = canvas.getContext("2d");
const view = { from: 0, to: 1, top: 0, width: 0, height: 0, lane: 0, gutter: 60 };
const AXIS = 30;

const x = (time_s) =>
  view.gutter + (position(time_s) - view.from) / (view.to - view.from) * (view.width - view.gutter);
const y = (actor) => AXIS + 12 + (rowOf.get(actor) + 0.5) * view.lane - view.top;

function fullRange() {
  const last = even ? instants.length - 1 : lastTime;
  const margin = Math.max(last, even ? 1 : 0) * 0.03;
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

/// Rows that fit if they can be told apart, else as high as one can still point at.
function usualLane() {
  return Math.min(84, Math.max(14, (heightForRows() - AXIS - 24) / rows.length));
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
