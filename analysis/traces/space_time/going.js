// ---- going through the events ------------------------------------------------------------------

const eventUnit = unitFor(lastTime);

function timeOf(event) {
  return Number((event.time * eventUnit[1]).toPrecision(7)) + " " + eventUnit[0];
}

function sentence(event) {
  return "Event " + (events.indexOf(event) + 1) + " of " + events.length + ", " + timeOf(event) +
    (axis === "logical" ? ", logical time " + event.logical : "") + ": " +
    (event.actor === null ? "" : who(event.actor) + " ") + event.what +
    (event.details ? " (" + event.details + ")" : "");
}

function bringIntoView(event) {
  const place = placeOf(event), width = view.to - view.from;
  if (place < view.from + width * 0.02 || place > view.to - width * 0.02) {
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
  if (name === "fit") {
    fit();
    layOut();
  }
  if (name === "axis") {
    const names = Object.keys(AXES);
    setAxis(names[(names.indexOf(axis) + 1) % names.length]);
  }
  if (name === "taller") scaleRows(1.4);
  if (name === "flatter") scaleRows(1 / 1.4);
}

const KEYS = { n: "next", p: "previous", "+": "in", "=": "in", "-": "out", "0": "fit",
               t: "axis", "]": "taller", "[": "flatter",
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

function setAxis(name) {
  axis = name;
  byId(name).checked = true;
  byId("axis-words").textContent = AXES[name];
  fit();
  if (picked !== null) pick(picked);
}

byId("axes").addEventListener("change", (event) => setAxis(event.target.value));

// ---- mouse and touch ---------------------------------------------------------------------------

const pointers = new Map();
let dragged = 0;

const placeAt = (px) =>
  view.from + (px - view.gutter) / (view.width - view.gutter) * (view.to - view.from);

function pointOf(event) {
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
      distance = Math.hypot(x(placeOf(event)) - place.x, y(event.actor) - place.y) - 2;
    else if (event.message !== undefined && !event.first)
      distance = distanceTo(run.messages[event.message], place);
    if (distance < nearest) [best, nearest] = [event, distance];
  }
  return best;
}

/// The words for the row's name or the event at that place; "" if there is nothing.
function tipAt(place) {
  if (pointers.size > 0) return "";
  if (place.x < view.gutter) {
    const row = rows.find((one) => Math.abs(y(one.actor) - place.y) <= view.lane / 2);
    return row === undefined || place.y < AXIS ? ""
      : rowNames(row.actor).long + ": " + rowMeaning(row.actor);
  }
  const event = eventAt(place);
  return event === null ? "" : sentence(event);
}

function showTip(place) {
  const tip = byId("tip");
  tip.textContent = tipAt(place);
  tip.hidden = tip.textContent === "";
  tip.style.left = Math.max(0, Math.min(place.x + 12, view.width - 230)) + "px";
  tip.style.top = Math.max(0, Math.min(place.y + 14, view.height - 60)) + "px";
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, pointOf(event));
  dragged = 0;
  stage.focus({ preventScroll: true });
});

canvas.addEventListener("pointermove", (event) => {
  const place = pointOf(event), before = pointers.get(event.pointerId);
  showTip(place);
  if (before === undefined) return;
  const others = [...pointers.entries()].filter(([id]) => id !== event.pointerId);
  dragged += Math.hypot(place.x - before.x, place.y - before.y);
  pointers.set(event.pointerId, place);
  if (others.length === 1) {
    const other = others[0][1];
    const scale = Math.abs(before.x - other.x) / Math.max(8, Math.abs(place.x - other.x));
    zoom(Math.min(Math.max(scale, 0.5), 2), placeAt((place.x + other.x) / 2));
  } else if (others.length === 0) {
    view.top -= place.y - before.y;
    move((before.x - place.x) / (view.width - view.gutter));
  }
});

function letGo(event) {
  if (!pointers.delete(event.pointerId)) return;
  if (event.type === "pointerup" && dragged < 5) {
    const found = eventAt(pointOf(event));
    if (found !== null) pick(found);
  }
}
canvas.addEventListener("pointerup", letGo);
canvas.addEventListener("pointercancel", letGo);
canvas.addEventListener("pointerleave", () => { byId("tip").hidden = true; });

/// The wheel scrolls the page until the user has clicked on the diagram.
canvas.addEventListener("wheel", (event) => {
  if (document.activeElement !== stage && !event.ctrlKey) return;
  event.preventDefault();
  if (event.shiftKey) move(Math.sign(event.deltaY) * 0.1);
  else zoom(1.15 ** Math.sign(event.deltaY), placeAt(pointOf(event).x));
}, { passive: false });
