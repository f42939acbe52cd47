// Where nobody has chosen a time zone yet, the browser's own stands for UTC; it is shown and
// can be changed before anything is saved.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.querySelectorAll("input[data-own-zone]").forEach((field) => {
    const offered = [...(field.list ? field.list.options : [])].map((option) => option.value);
    if (field.value === "UTC" && offered.includes(own)) field.value = own;
  });
});
