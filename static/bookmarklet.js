// The bookmarklet is for the bookmarks bar. A click on it here, where the content policy
// would refuse it, says what to do instead.
"use strict";

document.querySelectorAll("[data-bookmarklet]").forEach((link) => {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    link.parentElement.querySelector("[data-hint]").hidden = false;
  });
});
