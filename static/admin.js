// Names the fields with suggestions; Django leaves them without a name until something is chosen.
"use strict";

function nameFields() {
  for (const select of document.querySelectorAll("select.admin-autocomplete")) {
    const field = select.parentElement.querySelector(".select2-selection");
    const label = select.getAttribute("aria-label") || (select.labels[0] || select).textContent;
    if (!field || field.hasAttribute("aria-label")) continue;
    field.setAttribute("aria-label", label.trim());
    // What is chosen is no field of its own.
    const chosen = field.querySelector("[role=textbox]");
    for (const name of ["role", "aria-readonly"]) if (chosen) chosen.removeAttribute(name);
    // Its own label, then what is chosen.
    field.id = `${select.id}-field`;
    field.setAttribute("aria-labelledby", `${field.id} ${field.getAttribute("aria-labelledby")}`);
  }
}

// Select2 makes the fields when jQuery is ready, just before this, and those of a new row with it.
if (window.django) window.django.jQuery(nameFields);
document.addEventListener("formset:added", () => window.setTimeout(nameFields));
