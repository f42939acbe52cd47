// Keeps a region up to date while something is going on: asks for its HTML every
// few seconds, and rests while the page is hidden or the reader is inside the region.
"use strict";

function isInUse(region) {
  const marked = document.getSelection();
  return region.contains(document.activeElement)
    || region.querySelector("details[open]") !== null
    || (marked && !marked.isCollapsed && region.contains(marked.anchorNode));
}

// The buttons of the new rows act in place, as those of the first ones do.
function show(region, html) {
  region.innerHTML = html;
  if (window.htmx) window.htmx.process(region);
}

// Text that is typed and not sent yet would be lost with the page.
function isTyped() {
  return Array.from(document.querySelectorAll("main input, main textarea"))
    .some((field) => field.value !== field.defaultValue);
}

function watch(region) {
  const pause = Number(region.dataset.every || 2000);
  // Forms in the answer lead back to the page that shows them, not to the answer itself.
  const here = { "HX-Current-URL": window.location.href };
  let shown = "";

  function reload() {
    if (isTyped()) window.setTimeout(look, pause);
    else window.location.reload();
  }

  async function look() {
    if (document.hidden) {
      document.addEventListener("visibilitychange", look, { once: true });
      return;
    }
    if (!isInUse(region)) {
      try {
        // A redirect means the session has ended; the page itself then leads to the login.
        const answer = await fetch(region.dataset.live, { redirect: "manual", headers: here });
        if (answer.type === "opaqueredirect" || answer.status === 404) {
          reload();
          return;
        }
        if (answer.ok) {
          const text = await answer.text();
          // The same again is left alone, or screen readers would read an alert anew. So is a
          // region that the reader entered while the answer was on its way.
          if (text !== shown && !isInUse(region)) show(region, shown = text);
        }
        region.classList.toggle("lost", !answer.ok);
      } catch {
        region.classList.add("lost");  // the server is away for a moment; go on asking
      }
      if (region.querySelector("[data-ended]") !== null) {
        if ("reload" in region.dataset) reload();
        return;
      }
    }
    window.setTimeout(look, pause);
  }

  window.setTimeout(look, pause);
}

document.querySelectorAll("[data-live]").forEach(watch);

// A form that is on its way says so, and is not sent twice; htmx marks its own.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.submitter === null) return;
  if (event.submitter.getAttribute("aria-busy") === "true") event.preventDefault();
  else event.submitter.setAttribute("aria-busy", "true");
});

// An address that is there to be copied is selected whole.
document.addEventListener("focusin", (event) => {
  if (event.target.matches("input[data-copy]")) event.target.select();
});

// The back button may bring a page back as it was left.
window.addEventListener("pageshow", () => {
  document.querySelectorAll("button[aria-busy]").forEach((button) => button.removeAttribute("aria-busy"));
});

// Times are shown in the browser's own zone where the person chose none.
document.cookie = "zone=" + Intl.DateTimeFormat().resolvedOptions().timeZone
  + "; path=/; max-age=31536000; SameSite=Lax" + (location.protocol === "https:" ? "; Secure" : "");

// What a script could not send is sent again as a form: the answer is a page that says what is wrong.
document.addEventListener("htmx:responseError", (event) => {
  const form = event.detail.elt;
  if (!(form instanceof HTMLFormElement)) return;
  const { triggeringEvent } = event.detail.requestConfig;
  const pressed = triggeringEvent && triggeringEvent.submitter;
  if (pressed) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = pressed.name;
    field.value = pressed.value;
    form.append(field);
  }
  form.submit();
});
