// ---- drawing -----------------------------------------------------------------------------------

const ROW_FONT = "600 13px system-ui, sans-serif";
let colors = {};
let narrow = false;

/// The lines of a row's name that fit.
function rowLines(actor) {
  const names = rowNames(actor);
  if (!narrow) return [names.long];
  return view.lane < 2 * NAME + 4 ? [names.short] : names.lines;
}

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["back", "text", "soft", "line", "band", "life", "application", "control",
                      "detection", "failure", "announcement", "mark", "compute", "active", "pick", "focus"])
    colors[name] = style.getPropertyValue("--" + name).trim();
}

function layOut() {
  const width = stage.clientWidth;
  if (view.lane === 0) view.lane = usualLane();
  view.width = width;
  view.height = Math.round(Math.min(heightForRows(), rows.length * view.lane + AXIS + 24));
  narrow = width < 600;
  pen.font = ROW_FONT;
  view.gutter = 20 + rows.reduce((widest, row) => rowLines(row.actor).reduce(
    (sofar, words) => Math.max(sofar, pen.measureText(words).width), widest), 0);
  const ratio = matchMedia("print").matches ? 3 : devicePixelRatio || 1;  // paper is fine
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(view.height * ratio);
  canvas.style.height = view.height + "px";
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  explainRows();
  clampView();
  draw();
}

function line(x1, y1, x2, y2) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

/// Draws a band behind the processes of every second node, if nodes have several.
function drawBands() {
  if (new Set(rows.map((row) => row.node)).size === rows.length) return;
  pen.fillStyle = colors.band;
  let odd = false;
  rows.forEach((row, index) => {
    if (index > 0 && row.node !== rows[index - 1].node) odd = !odd;
    if (odd) pen.fillRect(0, y(row.actor) - view.lane / 2, view.width, view.lane);
  });
}

/// The words for times that are `step_s` apart.
function timeWords(times, step_s) {
  const unit = unitFor(Math.max(step_s, ...times));
  return times.map((time_s) => timeText(time_s, step_s, unit) + " " + unit[0]);
}

function evenTicks(room) {
  const low = Math.max(0, Math.ceil(view.from));
  const high = Math.min(instants.length - 1, Math.floor(view.to));
  const step = Math.max(1, Math.ceil((high - low) / room));
  const list = [];
  for (let i = low - low % step; i <= high; i += step) if (i >= low) list.push(i);
  const times = list.map((i) => instants[i]);
  const step_s = times.length < 2 ? lastTime : (times[times.length - 1] - times[0]) / 1e3;
  return { list, words: timeWords(times, step_s) };
}

/// The places that have words on the axis, and the words.
function ticks() {
  const room = Math.max(2, Math.floor((view.width - view.gutter) / (narrow ? 70 : 110)));
  if (axis === "even") return evenTicks(room);
  const logical = axis === "logical";
  const rough = Math.max((view.to - view.from) / room, logical ? 1 : 0);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= rough);
  const list = [];
  const low = Math.max(logical ? 1 : 0, view.from), high = logical ? lastLogical : Infinity;
  for (let i = Math.ceil(low / step); i * step <= Math.min(view.to, high); ++i)
    list.push(i * step);
  return { list, words: logical ? list.map(String) : timeWords(list, step) };
}

function drawAxis() {
  const { list, words } = ticks();
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.width, AXIS);
  pen.strokeStyle = colors.line;
  pen.lineWidth = 1;
  line(0, AXIS, view.width, AXIS);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.textAlign = "center";
  pen.fillStyle = colors.soft;
  list.forEach((place, index) => {
    if (x(place) < view.gutter || x(place) > view.width - 30) return;
    line(x(place), AXIS - 6, x(place), AXIS);
    pen.fillText(words[index], x(place), AXIS / 2 - 2);
  });
  pen.textAlign = "right";
  pen.fillText(axis === "logical" ? "logical time" : "time", view.gutter - 10, AXIS / 2 - 2);
}

function drawGutter() {
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.gutter, view.height);
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.font = ROW_FONT;
  pen.fillStyle = colors.text;
  const every = Math.ceil(NAME / view.lane);
  rows.forEach((row, index) => {
    if (y(row.actor) < AXIS || index % every !== 0) return;
    const lines = rowLines(row.actor);
    lines.forEach((words, number) => pen.fillText(
      words, view.gutter - 10, y(row.actor) + (number - (lines.length - 1) / 2) * NAME));
  });
  pen.fillStyle = colors.back;
  pen.fillRect(0, 0, view.gutter, AXIS - 1);
}

function visible(begin, end) {
  return end >= view.from && begin <= view.to;
}

function drawLives() {
  pen.strokeStyle = colors.life;
  pen.lineWidth = 1;
  const last = axis === "logical" ? lastLogical + 1 : position(run.end);
  for (const row of rows) line(view.gutter, y(row.actor), x(last), y(row.actor));
  for (const span of run.spans) {
    const ends = span[S.kind] === DEAD ? stretch(span) : null;
    if (ends === null || !visible(...ends)) continue;
    pen.strokeStyle = colors.back;
    pen.lineWidth = 4;
    const begin = x(ends[0]), end = Math.min(view.width, x(ends[1]));
    line(begin, y(span[S.actor]), end, y(span[S.actor]));
    pen.strokeStyle = colors.failure;
    pen.lineWidth = 1;
    pen.setLineDash([1, 5]);
    line(begin, y(span[S.actor]), end, y(span[S.actor]));
    pen.setLineDash([]);
  }
}

function drawBox(span, color, half) {
  const ends = stretch(span);
  if (ends === null || !visible(...ends)) return;
  const left = Math.max(x(ends[0]), view.gutter - 2);
  const right = Math.min(x(ends[1]), view.width + 2);
  pen.fillStyle = color;
  pen.fillRect(left, y(span[S.actor]) - half, Math.max(right - left, 1.5), 2 * half);
}

/// In logical time events have no length: draws a dot where a message is sent or handled.
function drawDots() {
  pen.fillStyle = colors.text;
  const radius = Math.min(3, view.lane / 6);
  for (const event of events) {
    const place = placeOf(event);
    if (event.message === undefined || event.bad || !visible(place, place)) continue;
    pen.beginPath();
    pen.arc(x(place), y(event.actor), radius, 0, 2 * Math.PI);
    pen.fill();
  }
}

function drawSpans() {
  const of = (kind) => run.spans.filter((span) => span[S.kind] === kind);
  const half = Math.min(9, view.lane / 4);
  if (shown("compute")) {
    of(ACTIVE).forEach((span) => drawBox(span, colors.active, half));
    of(COMPUTING).forEach((span) => drawBox(span, colors.compute, half * 0.7));
  }
  if (axis === "logical") drawDots();
  else of(HANDLING).forEach((span) => drawBox(span, colors.text, Math.min(2.5, half)));
}

// ---- arrows ------------------------------------------------------------------------------------

/// The end of a message's line on the screen. A message to its own sender bends over the row.
function endsOf(message) {
  const x1 = x(placeOf(message[M.sent])), x2 = x(placeOf(message[M.ended]));
  return { x1, y1: y(message[M.from]), x2: Math.max(x1, x2), y2: y(message[M.to]) };
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

const DASHES = { application: [], control: [6, 3], detection: [1, 3] };

function drawMessage(message, isPicked) {
  const ends = endsOf(message);
  const fate = run.fates[message[M.fate]];
  const color = colors[groupOf(message)];
  if (isPicked) {
    pen.strokeStyle = colors.pick;
    pen.lineWidth = 8;
    trace(ends);
  }
  pen.strokeStyle = pen.fillStyle = color;
  pen.lineWidth = isPicked ? 2.5 : 1.4;
  pen.setLineDash(fate !== "" ? [2, 4] : DASHES[groupOf(message)]);
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
  pen.fillStyle = colors[groupOf(message)];
  pen.fillText(text, 0, -4);
  pen.restore();
}

/// With more lines than this nobody sees a head or a dash, which take long to draw.
const MOST_ARROWS = 2500;

function drawManyMessages(list) {
  pen.lineWidth = 0.7;
  for (const group of ["detection", "control", "application"]) {
    pen.strokeStyle = colors[group];
    pen.beginPath();
    for (const message of list) {
      if (groupOf(message) !== group) continue;
      const ends = endsOf(message);
      pen.moveTo(ends.x1, ends.y1);
      pen.lineTo(ends.x2, ends.y2);
    }
    pen.stroke();
  }
}

function drawMessages() {
  const list = run.messages.filter(
    (message) => messageShown(message) &&
                 visible(placeOf(message[M.sent]), placeOf(message[M.ended])));
  const chosen = picked === null ? undefined : run.messages[picked.message];
  if (list.length > MOST_ARROWS) drawManyMessages(list);
  else for (const message of list) if (message !== chosen) drawMessage(message, false);
  if (chosen !== undefined && messageShown(chosen)) drawMessage(chosen, true);
  if (list.length <= (narrow ? 15 : 60)) list.forEach(drawName);
  else if (chosen !== undefined) drawName(chosen);
}

// ---- moments -----------------------------------------------------------------------------------

function drawMoment(moment) {
  const px = x(placeOf(moment)), py = y(moment.actor), size = Math.min(1, view.lane / 24);
  pen.strokeStyle = pen.fillStyle = colors[moment.group];
  pen.lineWidth = 2;
  if (isDeath(moment)) {
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

function drawVertical(event, color, level) {
  const px = x(placeOf(event)), words = event.what;
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

const isMoment = (event) => event.group !== undefined && event.group !== "compute";

function drawMoments() {
  for (const event of events)
    if (isMoment(event) && visible(placeOf(event), placeOf(event))) drawMoment(event);
  let violations = 0;
  for (const event of allEvents.filter(isVerdict)) {
    if (event.violation) drawVertical(event, colors.failure, 1 + violations++ % 2);
    else drawVertical(event, colors.announcement, 0);
  }
  if (picked !== null) {
    const px = x(placeOf(picked));
    pen.strokeStyle = colors.focus;
    pen.lineWidth = 1;
    line(px, AXIS, px, view.height);
    if (picked.actor !== null) {
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(px, y(picked.actor), 11, 0, 2 * Math.PI);
      pen.stroke();
    }
  }
}

let waiting = false;

/// Draws once for everything that has changed since the last frame.
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
