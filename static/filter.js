// A field above a table that hides the rows without what is typed. Without script there is no
// field: all rows are shown.
"use strict";

const textOf = (row) => {
  const values = Array.from(row.querySelectorAll("input[type=text]"), (one) => one.value);
  return [row.textContent, ...values].join(" ").toLowerCase();
};

for (const field of document.querySelectorAll("input[data-filter]")) {
  const rows = document.querySelectorAll(`#${field.dataset.filter} tbody tr`);
  field.closest("p").hidden = false;
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !textOf(row).includes(wanted);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault();
  });
}
