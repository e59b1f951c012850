// ---- drawing -----------------------------------------------------------------------------------

const ROW_FONT = "600 13px system-ui, sans-serif";
let colors = {};
let narrow = false;

const rowName = (actor) => narrow ? shortName(actor) : who(actor).replace(" of node", "");

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "text", "soft", "line", "band", "life", "application", "control",
                      "failure", "announcement", "mark", "compute", "active", "pick", "focus"])
    colors[name] = style.getPropertyValue("--" + name).trim();
}

function layOut() {
  const width = stage.clientWidth;
  if (view.lane === 0) view.lane = usualLane();
  view.width = width;
  view.height = Math.round(Math.min(heightForRows(), rows.length * view.lane + AXIS + 24));
  narrow = width < 600;
  pen.font = ROW_FONT;
  view.gutter = 20 + rows.reduce(
    (widest, row) => Math.max(widest, pen.measureText(rowName(row.actor)).width), 0);
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
  const room = Math.max(2, Math.floor((view.width - view.gutter) / (narrow ? 70 : 110)));
  if (even) {
    const low = Math.max(0, Math.ceil(view.from));
    const high = Math.min(instants.length - 1, Math.floor(view.to));
    const step = Math.max(1, Math.ceil((high - low) / room));
    const list = [];
    for (let i = low - low % step; i <= high; i += step) if (i >= low) list.push(instants[i]);
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
  const unit = unitFor(Math.max(step_s, list.length > 0 ? list[list.length - 1] : 0));
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
  const every = Math.ceil(15 / view.lane);
  const alone = new Set(rows.map((row) => row.node)).size === rows.length;
  rows.forEach((row, index) => {
    if (y(row.actor) < AXIS || index % every !== 0) return;
    pen.fillStyle = colors.text;
    pen.font = ROW_FONT;
    pen.textAlign = "right";
    pen.fillText(rowName(row.actor), view.gutter - 10, y(row.actor));
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
  of(HANDLING).forEach((span) => drawBox(span, colors.text, Math.min(2.5, half)));
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

/// So many that nobody sees a head or a dash, which take long to draw.
const MOST_ARROWS = 2500;

function drawManyMessages(list) {
  pen.lineWidth = 0.7;
  for (const control of [true, false]) {
    pen.strokeStyle = control ? colors.control : colors.application;
    pen.beginPath();
    for (const message of list) {
      if (isControl(message) !== control) continue;
      const ends = endsOf(message);
      pen.moveTo(ends.x1, ends.y1);
      pen.lineTo(ends.x2, ends.y2);
    }
    pen.stroke();
  }
}

function drawMessages() {
  const list = run.messages.filter(
    (message) => messageShown(message) && visible(message[M.begin], message[M.end]));
  const chosen = picked === null ? undefined : run.messages[picked.message];
  if (list.length > MOST_ARROWS) drawManyMessages(list);
  else for (const message of list) if (message !== chosen) drawMessage(message, false);
  if (chosen !== undefined && messageShown(chosen)) drawMessage(chosen, true);
  if (list.length <= (narrow ? 15 : 60)) list.forEach(drawName);
  else if (chosen !== undefined) drawName(chosen);
}

// ---- moments -----------------------------------------------------------------------------------

function drawMoment(moment) {
  const px = x(moment.time), py = y(moment.actor), size = Math.min(1, view.lane / 24);
  pen.strokeStyle = pen.fillStyle = colors[moment.group];
  pen.lineWidth = 2;
  if (moment.group === "failure" && moment.what === "dies") {
    pen.lineWidth = 3.5;
    drawCross(px, py, 8 * Math.max(size, 0.6));
  } else if (moment.group === "failure") {
    pen.beginPath();
    pen.moveTo(px, py - 8 * size);
    pen.lineTo(px + 6 * size, py);
    pen.lineTo(px, py + 8 * size);
    pen.lineTo(px - 6 * size, py);
    pen.closePath();
    pen.fillStyle = colors.back;
    pen.fill();
    pen.stroke();
  } else if (moment.group === "announcement") {
    line(px, py, px, py - 13 * size);
    pen.fillRect(px, py - 14 * size, 10 * size, 7 * size);
  } else {
    pen.beginPath();
    pen.arc(px, py, 3.5 * size, 0, 2 * Math.PI);
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

let waiting = false;

/// Once for all that has changed since the last frame.
function draw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(paint);
}

function paint() {
  waiting = false;
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
