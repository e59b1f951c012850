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
    cell(row, String(event.logical));
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

/// A line or sign as in the diagram, so that the boxes are the legend, too.
function sample(kind) {
  const shapes = {
    application: '<line x1="1" y1="8" x2="24" y2="8"/><path d="M30 8l-8-4v8z"/>',
    control: '<line x1="1" y1="8" x2="24" y2="8" stroke-dasharray="6 3"/><path d="M30 8l-8-4v8z"/>',
    detection:
      '<line x1="1" y1="8" x2="24" y2="8" stroke-dasharray="1 3"/><path d="M30 8l-8-4v8z"/>',
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
  const messagesOf = (group) => run.messages.filter((m) => groupOf(m) === group).length;
  const counts = {
    application: messagesOf("application"),
    control: messagesOf("control"),
    detection: messagesOf("detection"),
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
    kind.group, (on) => { kindOn[index] = on; }));
}

function addVerdict(words, sort) {
  const item = document.createElement("li");
  item.textContent = words;
  if (sort !== "") item.className = sort;
  byId("verdict").append(item);
}

/// Explains the names of rows, each where it is first used.
function explainRows() {
  const kinds = [rows.find((row) => row.actor < run.processes),
                 rows.find((row) => row.actor >= run.processes)];
  byId("rows-mean").textContent = "Rows: " + kinds.filter((row) => row !== undefined).map(
    (row) => "“" + rowLines(row.actor).join(" ") + "” is " + rowMeaning(row.actor) + "."
  ).join(" ");
}

function describe() {
  byId("name").textContent = run.title.scenario;
  document.title = run.title.scenario + ": a run";
  const about = [run.title.point, run.title.stack, run.processes + " processes",
                 "engine " + run.title.engine, "seed " + run.title.seed,
                 "replication " + run.title.replication, "Faultline " + run.title.version];
  if (run.title.without !== "") about.push("without " + run.title.without);
  byId("about").textContent = about.filter((part) => part !== "").join(" · ");
  const bad = run.violations.length > 0 || ["premature", "hung", "deadlock", "violated",
    "all-failed"].includes(run.outcome);
  addVerdict((bad ? "✕ " : "✓ ") + run.outcome + " after " + durationText(run.end),
             bad ? "bad" : "good");
  if (run.reason !== "") addVerdict("the protocol gives up: " + run.reason, "bad");
  if (run.over !== null) addVerdict("work over at " + durationText(run.over), "");
  run.violations.forEach((violation) =>
    addVerdict("violation at " + durationText(violation.time) + ": " + violation.kind + ": " +
               violation.detail, "bad"));
  stage.setAttribute("aria-label", "Space-time diagram of " + rows.length + " rows and " +
                     run.messages.length + " messages; the table below has all of it");
  byId("axis-words").textContent = AXES[axis];
  byId("time-head").textContent = "time, " + eventUnit[0];
  byId("who").append(new Option("all", ""));
  rows.forEach((row) => byId("who").append(
    new Option(rowNames(row.actor).long, String(row.actor))));
}

/// Draws at once: printing a page waits for no frame.
function recolor() {
  readColors();
  layOut();
  paint();
}

readColors();
describe();
addBoxes();
[view.from, view.to] = fullRange();
refresh();
layOut();
addEventListener("resize", layOut);
for (const media of ["(prefers-color-scheme: dark)", "print"])
  matchMedia(media).addEventListener("change", recolor);
