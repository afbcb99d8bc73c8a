"""The positions of messages among their variants, in the chat."""

from collections.abc import Callable
from typing import Any

PLACED = """async (steps) => {
  const { placeVariants, showVariants } = await import("/rehearsal/variants.js");
  document.body.innerHTML = '<form id="variants-form"></form>'
    + '<div id="chat-log"></div><div id="variants" data-forked hidden></div>'
    + '<i id="variants-mark"></i>';
  const log = document.getElementById("chat-log");
  const list = document.getElementById("variants");
  const form = document.getElementById("variants-form");
  let requests = 0;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    requests += 1;
  });
  const position = (run, text) =>
    `<div class="variants" data-of="${run}" role="group"><button data-step-to="next">x</button>`
    + `<span>${text}</span></div>`;
  const message = (run) => log.insertAdjacentHTML(
    "beforeend", `<div class="said-by-user" data-run="${run}"><p></p><small></small></div>`);
  const shown = () =>
    [...log.querySelectorAll(".said-by-user .variants")].map(
      (one) => `${one.closest(".said-by-user").dataset.run} ${one.textContent.slice(1)}`);
  message("r1");
  message("r2");
  list.innerHTML = position("r2", "2/3") + position("r9", "1/2");
  showVariants(log, list);
  const found = [shown()];
  log.querySelector("button").focus();
  list.innerHTML = position("r2", "2/2") + position("r9", "1/2");
  placeVariants(log, list);
  found.push(shown(), document.activeElement.dataset.stepTo);
  message("r9");
  await new Promise((go) => setTimeout(go));
  found.push(shown(), requests);
  list.innerHTML = "";
  placeVariants(log, list);
  found.push(shown());
  const mark = document.getElementById("variants-mark");
  for (const text of ["2 7", "2 7", "3 9"]) {
    mark.textContent = text;
    await new Promise((go) => setTimeout(go));
    found.push(requests);
  }
  return found;
}"""


def test_each_position_is_at_its_message_and_follows_the_server(run: Callable[..., Any]) -> None:
    first, fewer, focus, later, requests, none, *marked = run(PLACED, [])
    assert first == ["r2 2/3"]
    assert (fewer, focus) == (["r2 2/2"], "next"), "the focus stays at the button"
    assert (later, requests) == (["r2 2/2", "r9 1/2"], 1), "a new message requests the positions"
    assert none == []
    assert marked == [1, 1, 2], "a mark from the socket requests them once it changes"
