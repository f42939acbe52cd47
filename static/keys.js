// The keyboard of lists of pages, and marking a page as read when it is opened.
// Every key presses a button or link that stands on the page, so nothing works by key alone.
"use strict";

const rows = () => Array.from(document.querySelectorAll("[data-row]"));
const current = () => document.querySelector("[data-row][aria-current]");

function choose(row) {
  const before = current();
  if (before) before.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  row.querySelector("h2 a, h3 a").focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.indexOf(current());
  choose(all[Math.min(Math.max(at + step, 0), all.length - 1)]);
}

function press(selector) {
  const row = current();
  const target = row && row.querySelector(selector);
  if (!target) return;
  if (target.tagName === "DETAILS") {
    target.open = !target.open;
    (target.querySelector("button") || target).focus();
  } else target.click();
}

function help() {
  const list = document.querySelector("details.keys");
  list.open = !list.open;
  if (list.open) list.querySelector("summary").focus();
}

function search() {
  const field = document.querySelector("main input[type=search]");
  if (field) field.focus();
  else document.querySelector("[data-search]").click();
}

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  o: () => press("[data-open]"),
  s: () => press("[data-key=s]"),
  m: () => press("[data-key=m]"),
  h: () => press("[data-key=h]"),
  f: () => press(".thumbs [value=up], .thumbs [value=none]"),
  d: () => press(".thumbs [value=down], .thumbs [value=none]"),
  w: () => press("details.why > summary"),
  "/": search,
  "?": help,
};

function isTyping(element) {
  return element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
}

// Escape closes what is open around the focus, such as reasons to hide a page, or the list of keys.
function close(event) {
  const open = event.target.closest && event.target.closest("[data-row] details[open], .keys[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close(event);
  const deed = KEYS[event.key];
  if (!deed || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  event.preventDefault();
  deed();
});

// Buttons and links of a row make it the current one.
document.addEventListener("focusin", (event) => {
  const row = event.target.closest("[data-row]");
  if (!row || row === current()) return;
  const before = current();
  if (before) before.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
});

function showRead(row, read) {
  row.classList.toggle("read", read);
  row.classList.toggle("unread", !read);
}

// Who opens an article has read it; the request outlives the page.
function opened(event) {
  const link = event.target.closest("[data-open]");
  const row = link && link.closest("[data-row]");
  if (!row || row.classList.contains("read") || event.button > 1) return;
  const form = row.querySelector(".marks form");
  const body = new FormData(form);
  body.set("do", "read");
  fetch(form.action, { method: "POST", body, keepalive: true });
  showRead(row, true);
}
document.addEventListener("click", opened);
document.addEventListener("auxclick", opened);

// The buttons came back anew: the row follows what they say.
document.addEventListener("htmx:load", (event) => {
  const row = event.target.closest && event.target.closest("[data-row]");
  if (!row) return;
  const button = row.querySelector("[data-key=m]");
  if (button) showRead(row, button.dataset.read === "1");
});
