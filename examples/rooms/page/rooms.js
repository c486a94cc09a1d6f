// The page of the example: a door (which room, who) and a room. All that it shows of a room comes over one WebSocket,
// whose first event is the whole room, so a connection that was lost and comes back needs no bookkeeping.

const $ = (id) => document.getElementById(id);

const firstRetry = 500; // ms
const lastRetry = 10_000; // ms

let room = ""; // the name of the room, "" at the door
let me = "";
let socket = null;
let retry = firstRetry;
let retryTimer = 0;
let topic = { text: "", locked: false };

// objectID is pinned.ID of one string: any name becomes a valid id.
function objectID(name) {
  let id = "";
  for (const byte of new TextEncoder().encode(name)) {
    const char = String.fromCharCode(byte);
    id += /[A-Za-z0-9_-]/.test(char) ? char : "~" + byte.toString(16).toUpperCase().padStart(2, "0");
  }
  return id;
}

const address = (path) => `/rooms/${objectID(room)}${path}`;

// The connection.

function connect() {
  clearTimeout(retryTimer);
  show("connecting", "connecting");
  const url = new URL(address("/live"), location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.searchParams.set("name", me);

  const opened = new WebSocket(url);
  socket = opened;
  opened.onmessage = (message) => {
    if (socket === opened) hear(JSON.parse(message.data));
  };
  opened.onclose = () => {
    if (socket !== opened) return; // left the room, or connected anew
    socket = null;
    show("gone", "reconnecting");
    // A jitter, so that the windows of a server that restarts don't come back at once.
    retryTimer = setTimeout(connect, retry * (0.5 + Math.random() / 2));
    retry = Math.min(retry * 2, lastRetry);
  };
}

function hangUp() {
  const left = socket;
  socket = null;
  clearTimeout(retryTimer);
  left?.close(1000);
}

function back() {
  if (room && !socket) connect();
}

function hear(event) {
  switch (event.kind) {
    case "room":
      retry = firstRetry;
      $("log").replaceChildren();
      for (const message of event.messages ?? []) append(message);
      showTopic(event.topic);
      showOnline(event.online);
      $("log").scrollTop = $("log").scrollHeight;
      break;
    case "topic":
      showTopic(event.topic);
      break;
    case "online":
      showOnline(event.online);
      break;
    case "message":
      hearMessage(event.message);
      break;
  }
}

// What the room shows.

function show(state, text) {
  $("status").dataset.state = state;
  $("status-text").textContent = text;
  for (const button of document.querySelectorAll("#say button, #lock")) button.disabled = state !== "live";
}

const showOnline = (n) => show("live", `${n} online`);

function showTopic(next) {
  topic = next;
  const input = $("topic-text");
  if (document.activeElement !== input || topic.locked) input.value = topic.text;
  input.readOnly = topic.locked;
  $("lock").setAttribute("aria-pressed", topic.locked);
  $("lock").textContent = topic.locked ? "Unlock" : "Lock";
}

function hearMessage(message) {
  const log = $("log");
  // Who reads old messages isn't torn away from them.
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
  append(message);
  if (atEnd || message.name === me) log.scrollTop = log.scrollHeight;
}

function append(message) {
  const item = document.createElement("li");
  const who = document.createElement("p");
  const what = document.createElement("p");
  const time = document.createElement("time");
  const at = new Date(message.at);
  const previous = $("log").lastElementChild;

  item.dataset.name = message.name;
  item.dataset.at = at.getTime();
  item.classList.toggle("mine", message.name === me);
  item.classList.toggle(
    "first",
    previous?.dataset.name !== message.name || at.getTime() - Number(previous.dataset.at) > 5 * 60_000,
  );

  time.dateTime = message.at;
  time.textContent = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  who.className = "who";
  who.append(`${message.name} · `, time);
  what.className = "what";
  what.textContent = message.text;
  item.append(who, what);
  $("log").append(item);
}

function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

// ask makes an ordinary request of the room. What fails is said in the words of the problem that the room answered.
async function ask(method, path, body) {
  notice("");
  try {
    const answer = await fetch(address(path), {
      method,
      headers: body ? { "Content-Type": "application/json" } : {},
      body: body && JSON.stringify(body),
    });
    if (answer.ok) return true;
    const problem = await answer.json();
    notice(problem.detail ?? problem.title);
  } catch {
    notice("The room can't be reached just now.");
  }
  return false;
}

// Coming and going.

function enter(name, as) {
  room = name;
  me = as;
  sessionStorage.setItem("name", me);
  sessionStorage.setItem("room", room);
  history.replaceState(null, "", "#" + encodeURIComponent(room));
  document.title = `#${room} · Rooms`;
  $("room-name").textContent = room;
  $("log").replaceChildren();
  $("door").hidden = true;
  $("room").hidden = false;
  notice("");
  retry = firstRetry;
  connect();
  $("say-text").focus();
}

function leave() {
  hangUp();
  room = "";
  sessionStorage.removeItem("room");
  document.title = "Rooms";
  $("room").hidden = true;
  $("door").hidden = false;
  $("join-room").focus();
}

$("join").addEventListener("submit", (event) => {
  event.preventDefault();
  enter($("join-room").value.trim(), $("join-name").value.trim());
});

$("leave").addEventListener("click", leave);

$("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("say-text").value.trim();
  if (!text || socket?.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ text }));
  $("say-text").value = "";
});

$("topic").addEventListener("submit", (event) => {
  event.preventDefault();
  $("topic-text").blur();
});

$("topic-text").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  $("topic-text").value = topic.text;
  $("topic-text").blur();
});

$("topic-text").addEventListener("change", async () => {
  const text = $("topic-text").value.trim();
  if (!(await ask("PUT", "/topic", { text }))) $("topic-text").value = topic.text;
});

$("lock").addEventListener("click", () => ask(topic.locked ? "DELETE" : "PUT", "/lock"));

// A page that is kept for the back button isn't there: it hangs up, and calls again when it is shown.
addEventListener("pagehide", hangUp);
addEventListener("pageshow", back);
addEventListener("online", back);

addEventListener("hashchange", () => {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!name || name === room) return;
  if (room) leave();
  $("join-room").value = name;
});

const linked = decodeURIComponent(location.hash.slice(1)).slice(0, 24);
if (linked) $("join-room").value = linked;
$("join-name").value = sessionStorage.getItem("name") ?? "";
const before = sessionStorage.getItem("room");
if (before && me === "" && $("join-name").value && (!linked || linked === before)) {
  enter(before, $("join-name").value);
} else {
  $(linked ? "join-name" : "join-room").focus();
}
