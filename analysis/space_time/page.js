"use strict";

// ---- the run -----------------------------------------------------------------------------------

const run = JSON.parse(document.getElementById("run").textContent);
const byId = (id) => document.getElementById(id);
const reduced = matchMedia("(prefers-color-scheme: dark)");

/// The columns of the lists in `run`.
const M = { from: 0, to: 1, kind: 2, begin: 3, inject: 4, end: 5, fate: 6, bytes: 7, phase: 8,
            beginOrder: 9, endOrder: 10 };
const S = { kind: 0, actor: 1, begin: 2, end: 3, core: 4, order: 5 };
const HANDLING = 0, COMPUTING = 1, ACTIVE = 2, DEAD = 3;

const isControl = (message) => run.kinds[message[M.kind]].control;
const kindName = (message) => run.kinds[message[M.kind]].name;
const who = (actor) => actor < run.processes ? "process " + actor
                                             : "daemon of node " + (actor - run.processes);
const shortName = (actor) => actor < run.processes ? String(actor) : "d" + (actor - run.processes);

/// Daemons have a row where something happens at them.
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
  return shown(isControl(message) ? "control" : "application");
}

// ---- time --------------------------------------------------------------------------------------

const UNITS = [["s", 1], ["ms", 1e3], ["µs", 1e6], ["ns", 1e9]];

function unitFor(span_s) {
  return UNITS.find((unit) => span_s * unit[1] >= 1) || UNITS[3];
}

/// As many digits as tell times apart that lie `step_s` from each other.
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
  const name = (isControl(message) ? "control " : "") + kindName(message);
  const details = message[M.bytes] + " B" + (run.phases > 1 ? ", phase " + message[M.phase] : "");
  const fate = run.fates[message[M.fate]];
  const sent = { time: message[M.begin], actor: message[M.from], message: index, first: true,
                 order: message[M.beginOrder],
                 what: "sends " + name + " to " + who(message[M.to]), details };
  if (fate !== "") {
    return [sent, { time: message[M.end], actor: message[M.to], message: index, bad: true,
                    order: message[M.endOrder],
                    what: name + " from " + who(message[M.from]) + " is not handled",
                    details: fate }];
  }
  const taken = durationText(message[M.end] - message[M.begin]);
  return [sent, { time: message[M.end], actor: message[M.to], message: index,
                  order: message[M.endOrder],
                  what: "handles " + name + " from " + who(message[M.from]),
                  details: taken + " after it was sent" }];
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

/// What people look at ends before a run that waits in vain does.
const lastTime = allEvents.reduce(
  (last, event) => event.violation ? last : Math.max(last, event.time), 1e-12);

// ---- where a time is drawn ---------------------------------------------------------------------

const moments = [...new Set([0, ...allEvents.map((event) => event.time)])].sort((a, b) => a - b);
let even = false;

/// The position of a time: itself, or its place among the moments at which anything happens.
function position(time_s) {
  if (!even) return time_s;
  let low = 0, high = moments.length - 1;
  if (time_s >= moments[high]) return high + (time_s > moments[high] ? 1 : 0);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (moments[middle] <= time_s) low = middle; else high = middle;
  }
  return low + (time_s - moments[low]) / (moments[high] - moments[low]);
}

const canvas = byId("canvas"), stage = byId("stage");
const pen = canvas.getContext("2d");
const view = { from: 0, to: 1, top: 0, width: 0, height: 0, lane: 40, gutter: 60 };
const AXIS = 30;

const x = (time_s) =>
  view.gutter + (position(time_s) - view.from) / (view.to - view.from) * (view.width - view.gutter);
const y = (actor) => AXIS + 12 + (rowOf.get(actor) + 0.5) * view.lane - view.top;

function fullRange() {
  const last = even ? moments.length - 1 : lastTime;
  const margin = Math.max(last, even ? 1 : 0) * 0.03;
  return [-margin, last + 2 * margin];
}

function clampView() {
  const [low, high] = fullRange();
  const least = (high - low) * 1e-6;
  let width = Math.min(Math.max(view.to - view.from, least), (high - low) * 1.2);
  const middle = Math.min(Math.max((view.from + view.to) / 2, low), high);
  view.from = middle - width / 2;
  view.to = middle + width / 2;
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

function fit() {
  [view.from, view.to] = fullRange();
  view.top = 0;
  clampView();
  draw();
}

// ---- drawing -----------------------------------------------------------------------------------

let colors = {};

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "text", "soft", "line", "band", "life", "application", "control",
                      "failure", "announcement", "mark", "compute", "active", "pick", "focus"])
    colors[name] = style.getPropertyValue("--" + name).trim();
}

function layOut() {
  const width = stage.clientWidth;
  const room = Math.max(260, innerHeight * 0.68);
  view.lane = Math.min(64, Math.max(26, (room - AXIS - 24) / rows.length));
  view.width = width;
  view.height = Math.round(Math.min(room, rows.length * view.lane + AXIS + 24));
  view.gutter = width < 600 ? 34 : 92;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(view.height * ratio);
  canvas.style.height = view.height + "px";
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  clampView();
  draw();
}

function line(x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/// Processes of every second node have a band behind them, where nodes have several.
function drawBands() {
  if (new Set(rows.map((row) => row.node)).size === rows.length) return;
  pen.fillStyle = colors.band;
  let odd = false;
  rows.forEach((row, index) => {
    if (index > 0 && row.node !== rows[index - 1].node) odd = !odd;
    if (odd) pen.fillRect(0, y(row.actor) - view.lane / 2, view.width, view.lane);
  });
}

function ticks() {
  const room = Math.max(2, Math.floor((view.width - view.gutter) / 110));
  if (even) {
    const low = Math.max(0, Math.ceil(view.from));
    const high = Math.min(moments.length - 1, Math.floor(view.to));
    const step = Math.max(1, Math.ceil((high - low) / room));
    const list = [];
    for (let i = low - low % step; i <= high; i += step) if (i >= low) list.push(moments[i]);
    return { list, step_s: list.length < 2 ? lastTime : (list[list.length - 1] - list[0]) / 1e3 };
  }
  const rough = (view.to - view.from) / room;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step_s = [1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough);
  const list = [];
  for (let i = Math.ceil(Math.max(0, view.from) / step_s); i * step_s <= view.to; ++i)
    list.push(i * step_s);
  return { list, step_s };
}

function drawAxis() {
  const { list, step_s } = ticks();
  const unit = unitFor(list.length > 0 ? list[list.length - 1] : lastTime);
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.width, AXIS);
  pen.strokeStyle = colors.line;
  pen.lineWidth = 1;
  line(0, AXIS, view.width, AXIS);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  pen.fillStyle = colors.soft;
  for (const time_s of list) {
    if (x(time_s) < view.gutter || x(time_s) > view.width - 30) continue;
    line(x(time_s), AXIS - 6, x(time_s), AXIS);
    pen.fillText(timeText(time_s, step_s, unit) + " " + unit[0], x(time_s), AXIS / 2 - 2);
  }
}

function drawGutter() {
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.gutter, view.height);
  pen.textBaseline = "middle";
  const narrow = view.gutter < 60;
  const alone = new Set(rows.map((row) => row.node)).size === rows.length;
  rows.forEach((row, index) => {
    if (y(row.actor) < AXIS) return;
    pen.fillStyle = colors.text;
    pen.font = "600 13px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillText(narrow ? shortName(row.actor) : who(row.actor).replace(" of node", ""),
                 view.gutter - 10, y(row.actor));
    const named = index > 0 && rows[index - 1].node === row.node;
    if (narrow || alone || named || view.lane < 34) return;
    pen.fillStyle = colors.soft;
    pen.font = "11px system-ui, sans-serif";
    pen.fillText("node " + row.node, view.gutter - 10, y(row.actor) - 15);
  });
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.gutter, AXIS - 1);
}

function visible(begin_s, end_s) {
  return position(end_s) >= view.from && position(begin_s) <= view.to;
}

function drawLives() {
  pen.strokeStyle = colors.life;
  pen.lineWidth = 1;
  for (const row of rows) line(view.gutter, y(row.actor), x(run.end), y(row.actor));
  for (const span of run.spans) {
    if (span[S.kind] !== DEAD || !visible(span[S.begin], span[S.end])) continue;
    pen.strokeStyle = colors.back;
    pen.lineWidth = 4;
    const begin = x(span[S.begin]), end = Math.min(view.width, x(span[S.end]));
    line(begin, y(span[S.actor]), end, y(span[S.actor]));
    pen.strokeStyle = colors.failure;
    pen.lineWidth = 1;
    pen.setLineDash([1, 5]);
    line(begin, y(span[S.actor]), end, y(span[S.actor]));
    pen.setLineDash([]);
  }
}

function drawBox(span, color, half) {
  const left = Math.max(x(span[S.begin]), view.gutter - 2);
  const right = Math.min(x(span[S.end]), view.width + 2);
  pen.fillStyle = color;
  pen.fillRect(left, y(span[S.actor]) - half, Math.max(right - left, 1.5), 2 * half);
}

function drawSpans() {
  const of = (kind) => run.spans.filter(
    (span) => span[S.kind] === kind && visible(span[S.begin], span[S.end]));
  const half = Math.min(9, view.lane / 4);
  if (shown("compute")) {
    of(ACTIVE).forEach((span) => drawBox(span, colors.active, half));
    of(COMPUTING).forEach((span) => drawBox(span, colors.compute, half * 0.7));
  }
  of(HANDLING).forEach((span) => drawBox(span, colors.text, 2.5));
}

// ---- arrows ------------------------------------------------------------------------------------

/// The end of a message's line on the screen. One to oneself is bent over the row.
function endsOf(message) {
  return { x1: x(message[M.begin]), y1: y(message[M.from]),
           x2: Math.max(x(message[M.end]), x(message[M.begin])), y2: y(message[M.to]) };
}

function trace(ends) {
  pen.beginPath();
  pen.moveTo(ends.x1, ends.y1);
  if (ends.y1 === ends.y2)
    pen.quadraticCurveTo((ends.x1 + ends.x2) / 2, ends.y1 - view.lane * 0.7, ends.x2, ends.y2);
  else
    pen.lineTo(ends.x2, ends.y2);
  pen.stroke();
}

function directionOf(ends) {
  if (ends.y1 !== ends.y2) return Math.atan2(ends.y2 - ends.y1, ends.x2 - ends.x1);
  return Math.atan2(view.lane * 0.7, (ends.x2 - ends.x1) / 2);
}

function drawHead(ends) {
  pen.save();
  pen.translate(ends.x2, ends.y2);
  pen.rotate(directionOf(ends));
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.lineTo(-9, -4);
  pen.lineTo(-9, 4);
  pen.closePath();
  pen.fill();
  pen.restore();
}

function drawCross(px, py, size) {
  line(px - size, py - size, px + size, py + size);
  line(px - size, py + size, px + size, py - size);
}

function drawMessage(message, isPicked) {
  const ends = endsOf(message);
  const fate = run.fates[message[M.fate]];
  const color = isControl(message) ? colors.control : colors.application;
  if (isPicked) {
    pen.strokeStyle = colors.pick;
    pen.lineWidth = 8;
    trace(ends);
  }
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = isPicked ? 2.5 : 1.4;
  pen.setLineDash(fate !== "" ? [2, 4] : isControl(message) ? [6, 3] : []);
  trace(ends);
  pen.setLineDash([]);
  if (fate === "") return drawHead(ends);
  pen.strokeStyle = colors.failure;
  pen.lineWidth = 2;
  if (run.fates[message[M.fate]] !== run.underWay) drawCross(ends.x2, ends.y2, 5);
}

function drawName(message) {
  const ends = endsOf(message);
  const length = Math.hypot(ends.x2 - ends.x1, ends.y2 - ends.y1);
  const text = kindName(message);
  pen.font = "11px system-ui, sans-serif";
  if (ends.y1 === ends.y2 || length < pen.measureText(text).width + 30) return;
  let angle = directionOf(ends);
  const share = 0.42;
  pen.save();
  pen.translate(ends.x1 + (ends.x2 - ends.x1) * share, ends.y1 + (ends.y2 - ends.y1) * share);
  pen.rotate(angle);
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  pen.lineWidth = 3;
  pen.strokeStyle = colors.back;
  pen.strokeText(text, 0, -4);
  pen.fillStyle = isControl(message) ? colors.control : colors.application;
  pen.fillText(text, 0, -4);
  pen.restore();
}

function drawMessages() {
  const list = run.messages.filter(
    (message) => messageShown(message) && visible(message[M.begin], message[M.end]));
  const chosen = picked === null ? undefined : run.messages[picked.message];
  for (const message of list) if (message !== chosen) drawMessage(message, false);
  if (chosen !== undefined && messageShown(chosen)) drawMessage(chosen, true);
  if (list.length <= 60) list.forEach(drawName);
  else if (chosen !== undefined) drawName(chosen);
}

// ---- moments -----------------------------------------------------------------------------------

function drawMoment(moment) {
  const px = x(moment.time), py = y(moment.actor);
  pen.strokeStyle = pen.fillStyle = colors[moment.group];
  pen.lineWidth = 2;
  if (moment.group === "failure" && moment.what === "dies") {
    pen.lineWidth = 3.5;
    drawCross(px, py, 8);
  } else if (moment.group === "failure") {
    pen.beginPath();
    pen.moveTo(px, py - 8);
    pen.lineTo(px + 6, py);
    pen.lineTo(px, py + 8);
    pen.lineTo(px - 6, py);
    pen.closePath();
    pen.fillStyle = colors.back;
    pen.fill();
    pen.stroke();
  } else if (moment.group === "announcement") {
    line(px, py, px, py - 13);
    pen.fillRect(px, py - 14, 10, 7);
  } else {
    pen.beginPath();
    pen.arc(px, py, 3.5, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawVertical(time_s, color, words, level) {
  const px = x(time_s);
  if (px < view.gutter || px > view.width) return;
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = 1.5;
  pen.setLineDash([8, 4]);
  line(px, AXIS, px, view.height);
  pen.setLineDash([]);
  pen.font = "12px system-ui, sans-serif";
  const width = pen.measureText(words).width;
  pen.textAlign = px + width + 8 > view.width ? "right" : "left";
  pen.textBaseline = "alphabetic";
  const py = view.height - 6 - 15 * level;
  pen.lineWidth = 4;
  pen.strokeStyle = colors.back;
  pen.strokeText(words, px + (pen.textAlign === "left" ? 5 : -5), py);
  pen.fillText(words, px + (pen.textAlign === "left" ? 5 : -5), py);
}

function drawMoments() {
  for (const moment of run.moments)
    if (shown(moment.group) && visible(moment.time, moment.time)) drawMoment(moment);
  if (run.over !== null) drawVertical(run.over, colors.announcement, "the work is over", 0);
  run.violations.forEach((violation, index) => drawVertical(
    violation.time, colors.failure, "violation: " + violation.kind, 1 + index % 2));
  if (picked !== null) {
    pen.strokeStyle = colors.focus;
    pen.lineWidth = 1;
    line(x(picked.time), AXIS, x(picked.time), view.height);
    if (picked.actor !== null) {
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x(picked.time), y(picked.actor), 11, 0, 2 * Math.PI);
      pen.stroke();
    }
  }
}

function draw() {
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.width, view.height);
  drawBands();
  drawLives();
  drawSpans();
  drawMessages();
  drawMoments();
  drawGutter();
  drawAxis();
}

// ---- going through the events ------------------------------------------------------------------

const eventUnit = unitFor(lastTime);

function timeOf(event) {
  return Number((event.time * eventUnit[1]).toPrecision(7)) + " " + eventUnit[0];
}

function sentence(event) {
  return "Event " + (events.indexOf(event) + 1) + " of " + events.length + ", " + timeOf(event) +
    ": " + (event.actor === null ? "" : who(event.actor) + " ") + event.what +
    (event.details ? " (" + event.details + ")" : "");
}

function bringIntoView(event) {
  const place = position(event.time), width = view.to - view.from;
  if (place < view.from + width * 0.08 || place > view.to - width * 0.08) {
    view.from = place - width / 2;
    view.to = place + width / 2;
  }
  if (event.actor !== null) {
    const py = y(event.actor);
    if (py < AXIS + view.lane) view.top -= AXIS + view.lane - py;
    if (py > view.height - view.lane) view.top += py - view.height + view.lane;
  }
  clampView();
}

function pick(event) {
  picked = event;
  byId("reading").textContent = event === null ? "" : sentence(event);
  if (event !== null) {
    bringIntoView(event);
    showRow(event);
  }
  draw();
}

function step(by) {
  if (events.length === 0) return;
  const at = picked === null ? (by > 0 ? -1 : events.length) : events.indexOf(picked);
  pick(events[Math.min(Math.max(at + by, 0), events.length - 1)]);
}

function act(name) {
  if (name === "previous") step(-1);
  if (name === "next") step(1);
  if (name === "in") zoom(1 / 1.5);
  if (name === "out") zoom(1.5);
  if (name === "left") move(-0.2);
  if (name === "right") move(0.2);
  if (name === "fit") fit();
}

const KEYS = { n: "next", p: "previous", "+": "in", "=": "in", "-": "out", "0": "fit",
               ArrowLeft: "left", ArrowRight: "right" };

stage.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Home" && events.length > 0) pick(events[0]);
  else if (event.key === "End" && events.length > 0) pick(events[events.length - 1]);
  else if (event.key === "Escape") pick(null);
  else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    view.top += (event.key === "ArrowUp" ? -1 : 1) * view.lane;
    clampView();
    draw();
  } else if (KEYS[event.key] !== undefined) act(KEYS[event.key]);
  else return;
  event.preventDefault();
});

byId("toolbar").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button !== null) act(button.dataset.act);
});

byId("even").addEventListener("change", (event) => {
  even = event.target.checked;
  fit();
  if (picked !== null) pick(picked);
});

// ---- mouse and touch ---------------------------------------------------------------------------

const pointers = new Map();
let dragged = 0;

const timeAt = (px) =>
  view.from + (px - view.gutter) / (view.width - view.gutter) * (view.to - view.from);

function placeOf(event) {
  const box = canvas.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function distanceTo(message, place) {
  const ends = endsOf(message);
  const dx = ends.x2 - ends.x1, dy = ends.y2 - ends.y1;
  const share = ((place.x - ends.x1) * dx + (place.y - ends.y1) * dy) / (dx * dx + dy * dy || 1);
  const at = Math.min(Math.max(share, 0), 1);
  return Math.hypot(place.x - ends.x1 - at * dx, place.y - ends.y1 - at * dy);
}

/// The event of the nearest moment or message, if one is near.
function eventAt(place) {
  let best = null, nearest = 9;
  for (const event of events) {
    let distance = Infinity;
    if (event.message === undefined && event.actor !== null)
      distance = Math.hypot(x(event.time) - place.x, y(event.actor) - place.y) - 2;
    else if (event.message !== undefined && !event.first)
      distance = distanceTo(run.messages[event.message], place);
    if (distance < nearest) [best, nearest] = [event, distance];
  }
  return best;
}

function showTip(place) {
  const event = pointers.size > 0 ? null : eventAt(place);
  const tip = byId("tip");
  tip.hidden = event === null;
  if (event === null) return;
  tip.textContent = sentence(event);
  tip.style.left = Math.max(0, Math.min(place.x + 12, view.width - 230)) + "px";
  tip.style.top = Math.max(0, Math.min(place.y + 14, view.height - 60)) + "px";
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, placeOf(event));
  dragged = 0;
  stage.focus({ preventScroll: true });
});

canvas.addEventListener("pointermove", (event) => {
  const place = placeOf(event), before = pointers.get(event.pointerId);
  showTip(place);
  if (before === undefined) return;
  const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
  dragged += Math.hypot(place.x - before.x, place.y - before.y);
  pointers.set(event.pointerId, place);
  if (others.length === 1) {
    const other = others[0][1];
    const scale = Math.abs(before.x - other.x) / Math.max(8, Math.abs(place.x - other.x));
    zoom(Math.min(Math.max(scale, 0.5), 2), timeAt((place.x + other.x) / 2));
  } else if (others.length === 0) {
    view.top -= place.y - before.y;
    move((before.x - place.x) / (view.width - view.gutter));
  }
});

function letGo(event) {
  if (!pointers.delete(event.pointerId)) return;
  if (event.type === "pointerup" && dragged < 5) {
    const found = eventAt(placeOf(event));
    if (found !== null) pick(found);
  }
}
canvas.addEventListener("pointerup", letGo);
canvas.addEventListener("pointercancel", letGo);
canvas.addEventListener("pointerleave", () => { byId("tip").hidden = true; });

/// The wheel belongs to the page until the diagram has been clicked on.
canvas.addEventListener("wheel", (event) => {
  if (document.activeElement !== stage && !event.ctrlKey) return;
  event.preventDefault();
  if (event.shiftKey) move(Math.sign(event.deltaY) * 0.1);
  else zoom(1.15 ** Math.sign(event.deltaY), timeAt(placeOf(event).x));
}, { passive: false });

// ---- the table ---------------------------------------------------------------------------------

const PAGE = 100;
let firstRow = 0;
let listed = [];

function cell(row, content) {
  const place = document.createElement("td");
  if (typeof content === "string") place.textContent = content;
  else place.append(content);
  row.append(place);
}

function showTable() {
  const body = byId("body");
  body.textContent = "";
  listed.slice(firstRow, firstRow + PAGE).forEach((event) => {
    const row = document.createElement("tr");
    if (event === picked) row.setAttribute("aria-current", "true");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = String(events.indexOf(event) + 1);
    button.setAttribute("aria-label", "Show event " + button.textContent + " in the diagram");
    button.addEventListener("click", () => pick(event));
    cell(row, button);
    cell(row, timeOf(event).split(" ")[0]);
    cell(row, event.actor === null ? "run" : who(event.actor));
    cell(row, (event.bad ? "✕ " : "") + event.what);
    cell(row, event.details);
    body.append(row);
  });
  const last = Math.min(firstRow + PAGE, listed.length);
  byId("rows").textContent = listed.length === 0 ? "no events"
    : "rows " + (firstRow + 1) + " to " + last + " of " + listed.length;
  byId("pager").querySelector('[data-page="-1"]').disabled = firstRow === 0;
  byId("pager").querySelector('[data-page="1"]').disabled = last >= listed.length;
}

function showRow(event) {
  const at = listed.indexOf(event);
  if (at >= 0) firstRow = at - at % PAGE;
  showTable();
}

function refresh() {
  events = allEvents.filter(eventShown);
  const chosen = byId("who").value;
  listed = chosen === "" ? events
    : events.filter((event) => event.actor === null || event.actor === Number(chosen));
  if (picked !== null && !events.includes(picked)) picked = null;
  firstRow = Math.min(firstRow, Math.max(0, listed.length - 1));
  firstRow -= firstRow % PAGE;
  showTable();
  draw();
}

byId("pager").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button === null) return;
  firstRow = Math.max(0, firstRow + PAGE * Number(button.dataset.page));
  showTable();
});
byId("who").addEventListener("change", () => { firstRow = 0; refresh(); });

// ---- the rest of the page ----------------------------------------------------------------------

/// A line or sign as the diagram has it, so that the boxes are the legend too.
function sample(kind) {
  const shapes = {
    application: '<line x1="1" y1="8" x2="24" y2="8"/><path d="M30 8l-8-4v8z"/>',
    control: '<line x1="1" y1="8" x2="24" y2="8" stroke-dasharray="6 3"/><path d="M30 8l-8-4v8z"/>',
    lost: '<path d="M1 8h19" stroke-dasharray="2 4"/><path d="M20 3l10 10m0-10l-10 10"/>',
    failure: '<path d="M3 3l10 10m0-10l-10 10"/><path d="M24 1l6 7-6 7-6-7z" fill="none"/>',
    announcement: '<path d="M10 15V1h12v7H10"/>',
    mark: '<circle cx="15" cy="8" r="4"/>',
    compute: '<rect x="1" y="2" width="29" height="12"/>',
  };
  const holder = document.createElement("span");
  const color = kind === "lost" ? "failure" : kind;
  const paint = "var(--" + color + ")";
  holder.innerHTML = '<svg width="31" height="16" aria-hidden="true" stroke-width="1.8" stroke="' +
    paint + '" fill="' + paint + '">' + shapes[kind] + "</svg>";
  return holder.firstChild;
}

function addBox(parent, words, count, shape, change) {
  const label = document.createElement("label"), box = document.createElement("input");
  box.type = "checkbox";
  box.checked = true;
  box.addEventListener("change", () => { change(box.checked); refresh(); });
  label.append(box, sample(shape), words + (count === null ? "" : " (" + count + ")"));
  parent.append(label);
}

function addBoxes() {
  const lost = run.messages.filter((message) => run.fates[message[M.fate]] !== "").length;
  const counts = {
    application: run.messages.filter((message) => !isControl(message)).length,
    control: run.messages.filter(isControl).length,
    lost,
    compute: run.spans.filter((span) => span[S.kind] === COMPUTING).length,
  };
  for (const group of groups) {
    const count = group.key in counts ? counts[group.key]
      : run.moments.filter((moment) => moment.group === group.key).length;
    if (count > 0)
      addBox(byId("groups"), group.words, count, group.key, (on) => { group.on = on; });
  }
  run.kinds.forEach((kind, index) => addBox(
    byId("kinds"), kind.name, run.messages.filter((message) => message[M.kind] === index).length,
    kind.control ? "control" : "application", (on) => { kindOn[index] = on; }));
}

function addVerdict(words, sort) {
  const item = document.createElement("li");
  item.textContent = words;
  if (sort !== "") item.className = sort;
  byId("verdict").append(item);
}

function describe() {
  byId("name").textContent = run.title.scenario;
  document.title = run.title.scenario + ": a run";
  const about = [run.title.point, run.title.stack, run.processes + " processes",
                 "engine " + run.title.engine, "seed " + run.title.seed,
                 "replication " + run.title.replication, "Faultline " + run.title.version];
  byId("about").textContent = about.filter((part) => part !== "").join(" · ");
  const bad = run.violations.length > 0 || ["premature", "hung", "deadlock", "violated"]
    .includes(run.outcome);
  addVerdict((bad ? "✕ " : "✓ ") + run.outcome + " after " + durationText(run.end),
             bad ? "bad" : "good");
  if (run.reason !== "") addVerdict("the protocol gives up: " + run.reason, "bad");
  if (run.over !== null) addVerdict("work over at " + durationText(run.over), "");
  run.violations.forEach((violation) =>
    addVerdict("violation at " + durationText(violation.time) + ": " + violation.kind + ": " +
               violation.detail, "bad"));
  stage.setAttribute("aria-label", "Space-time diagram of " + rows.length + " rows and " +
                     run.messages.length + " messages; the table below has all of it");
  byId("time-head").textContent = "time, " + eventUnit[0];
  byId("who").append(new Option("all", ""));
  rows.forEach((row) => byId("who").append(new Option(who(row.actor), String(row.actor))));
}

function recolor() {
  readColors();
  draw();
}

readColors();
describe();
addBoxes();
[view.from, view.to] = fullRange();
refresh();
layOut();
addEventListener("resize", layOut);
reduced.addEventListener("change", recolor);
