
(() => {
  "use strict";
  const all = selector => [...document.querySelectorAll(selector)];
  const one = id => document.getElementById(id);
  const say = text => { one("live").textContent = text; };
  const isOk = block => block.hasAttribute("data-ok");
  const isShown = block => !block.hidden && !(one("f-todo").checked && isOk(block));
  const needsAttention = block => !isOk(block);
  let current = null;

  const mark = block => {
    current = block;
    for (const link of all("nav a")) {
      if (link.hash === "#" + block.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  const step = (by, isWanted) => {
    const blocks = all("article").filter(isShown);
    const from = blocks.indexOf(current);
    let at = from < 0 ? (by > 0 ? 0 : blocks.length - 1) : from + by;
    while (blocks[at] && !isWanted(blocks[at])) at += by;
    if (!blocks[at]) {
      say("no further block");
      return;
    }
    mark(blocks[at]);
    blocks[at].closest("details").open = true;
    blocks[at].focus({preventScroll: true});
    blocks[at].scrollIntoView({block: "start"});
    say("");
  };

  const choose = (id, text) => {
    one(id).checked = true;
    say(text);
  };

  const copy = async element => {
    const range = document.createRange();
    range.selectNodeContents(element);
    try {
      await navigator.clipboard.writeText(element.textContent);
    } catch {
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      if (!document.execCommand("copy")) {
        say("the browser does not let this page copy; the text is selected, so press Ctrl+C");
        return;
      }
    }
    say("copied");
  };

  const search = () => {
    const wanted = one("search").value.trim().toLowerCase();
    const fileOf = block => block.closest("section").querySelector("h2").textContent;
    for (const block of all("article")) {
      block.hidden = !`${fileOf(block)} ${block.textContent}`.toLowerCase().includes(wanted);
      document.querySelector(`nav a[href="#${block.id}"]`).parentElement.hidden = block.hidden;
    }
    for (const file of all(".file, nav li:has(ul)")) {
      file.hidden = !file.querySelector(":is(article, li):not([hidden])");
    }
    const blocks = all("article");
    say(wanted && `${blocks.filter(isShown).length} of ${blocks.length} blocks`);
  };

  const prompt = () => one("retry-prompt");
  const keys = {
    j: () => step(1, () => true),
    k: () => step(-1, () => true),
    n: () => step(1, needsAttention),
    p: () => step(-1, needsAttention),
    f: () => one("f-todo").checked ? choose("f-all", "all blocks") : choose("f-todo", "blocks that need attention"),
    u: () => choose("v-unified", "unified"),
    s: () => choose("v-split", "side by side"),
    c: () => prompt() ? copy(prompt()) : say("there is no retry prompt"),
    "/": () => one("search").focus(),
    "?": () => one("help").showModal(),
  };

  document.addEventListener("keydown", event => {
    const isTyped = event.target.matches("textarea, select, input[type=text], input[type=search]");
    if (event.ctrlKey || event.metaKey || event.altKey || isTyped || one("help").open) return;
    if (!one("shortcuts").checked || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  document.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (button && button.dataset.copy) copy(one(button.dataset.copy));
    if (button && button.id === "keys") one("help").showModal();
  });

  one("search").addEventListener("input", search);

  try {
    const shortcuts = one("shortcuts");
    shortcuts.checked = localStorage.getItem("editblocks-keys") !== "off";
    shortcuts.addEventListener("change", () => {
      localStorage.setItem("editblocks-keys", shortcuts.checked ? "on" : "off");
    });
  } catch {
    // the browser keeps nothing for this page, so the switch counts until it is loaded again
  }

  const follow = () => {
    const block = location.hash && one(location.hash.slice(1));
    if (block && block.tagName === "ARTICLE") mark(block);
  };
  addEventListener("hashchange", follow);
  follow();
  for (const element of all("[data-script]")) element.hidden = false;
})();
