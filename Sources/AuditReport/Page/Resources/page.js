"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SEVERITIES = ["info", "low", "medium", "high", "critical"];
  const SHAPES = ["○", "●", "■", "▲", "◆"];
  const DECIDED = { "": "not logged", accepted: "accepted", rejected: "rejected" };
  // A row has the columns of findings.csv by their names: a text, or a number or null.
  const rows = data.rows.map((values, order) => {
    const row = { order };
    data.columns.forEach(([name, isText], index) => { row[name] = !isText ? values[index] : values[index] === null ? "" : data.words[values[index]]; });
    return { ...row, level: SEVERITIES.indexOf(row.severity), title: data.titles[row.code], decided: DECIDED[row.decision] };
  });
  const TEXTS = data.columns.filter(([, isText]) => isText).map(([name]) => name);

  // Text of a log only ever becomes a text node; what could not be seen is shown as an escape.
  const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, (c) => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
  const SVG = ["svg", "path", "circle", "polyline", "line", "text", "title"];
  function h(name, attributes, ...children) {
    const isSVG = SVG.includes(name) || (name === "a" && SVG.includes(children[0] && children[0].localName));
    const node = isSVG ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
    for (const child of children.flat(Infinity)) if (child !== null && child !== "") node.append(child.nodeType ? child : document.createTextNode(child));
    return node;
  }
  const bdi = (text) => h("bdi", {}, visible(text));
  const stamp = (time) => (time === null ? "no time" : new Date(time).toISOString().replace("T", " ").replace("Z", ""));
  const address = (filter) => "#" + new URLSearchParams(filter).toString();
  // The folder of this page, for commands; a page that was moved elsewhere stands for none.
  const place = location.protocol === "file:" ? decodeURIComponent(location.pathname).replace(/\/[^/]*$/, "") : "";
  const quoted = (text) => "'" + String(text).replaceAll("'", "'\\''") + "'";
  const folder = place ? (/^[\w./-]+$/.test(place) ? place : quoted(place)) : "REPORT";

  // MARK: filters; the filter stands in the fragment

  const FIELDS = ["severity", "code", "decision", "key", "hash", "app", "request", "subject", "source", "text", "state", "at", "build", "fingerprint", "sort"];
  function filterOf(fragment) {
    if (!fragment.includes("=")) return {};
    const filter = {};
    for (const [key, value] of new URLSearchParams(fragment)) if (FIELDS.includes(key) && value) filter[key] = value;
    return filter;
  }
  // What is accepted or withdrawn is no finding of the report, and shows where it is asked for.
  const isAside = (row) => row.state === "accepted" || row.state === "withdrawn";
  const reported = rows.filter((row) => !isAside(row)).length;
  // A build has the findings of its keys. If they are too many to be named, it has those of its app while it was in use.
  const isOfBuild = (row, build) => build && ((build.hash && row.detail.includes(build.hash)) || (build.keys.length ? build.keys.some((key) => row.key_id.startsWith(key))
    : row.app_id === build.app && row.time !== null && row.time >= build.from && row.time < build.to));
  function matches(row, filter) {
    if (isAside(row) && filter.state !== row.state && filter.fingerprint !== row.fingerprint) return false;
    const has = (text, part) => text.toLowerCase().includes(part.toLowerCase());
    if (filter.severity && row.severity !== filter.severity) return false;
    if (filter.code && row.code !== filter.code && !row.code.startsWith(filter.code + ".")) return false;
    if (filter.decision && (row.decision || "unknown") !== filter.decision) return false;
    if (filter.key && !row.key_id.startsWith(filter.key.toLowerCase())) return false;
    if (filter.hash && row.client_data_hash !== filter.hash.toLowerCase()) return false;
    if (filter.app && !has(row.app_id, filter.app)) return false;
    if (filter.request && !has(row.request_id, filter.request)) return false;
    if (filter.subject && row.subject !== filter.subject) return false;
    if (filter.source && row.source !== filter.source) return false;
    if (filter.state && row.state !== filter.state) return false;
    if (filter.fingerprint && row.fingerprint !== filter.fingerprint) return false;
    if (filter.at) {
      const [from, to] = filter.at.split("~").map(Number);
      if (row.time === null || row.time < from || row.time >= to) return false;
    }
    if (filter.build && !isOfBuild(row, data.builds[filter.build])) return false;
    if (filter.text && !has(row.title, filter.text) && !TEXTS.some((name) => has(row[name], filter.text))) return false;
    return true;
  }
  const byHarm = (a, b) => b.level - a.level || (b.decision === "accepted") - (a.decision === "accepted") || (b.state === "new") - (a.state === "new") || a.order - b.order;
  const SORTS = {
    harm: byHarm, time: (a, b) => a.order - b.order, code: (a, b) => (a.code < b.code ? -1 : a.code > b.code ? 1 : byHarm(a, b)),
    key: (a, b) => (a.key_id < b.key_id ? -1 : a.key_id > b.key_id ? 1 : a.order - b.order),
    place: (a, b) => (a.source < b.source ? -1 : a.source > b.source ? 1 : a.line - b.line),
  };

  // MARK: the table

  const body = document.getElementById("rows");
  const status = document.getElementById("status");
  const more = document.getElementById("more");
  const form = document.getElementById("filter");
  let current = [], shown = 0, filter = {};

  function explain(row) {
    const shown = (name) => (name === "time" || name === "related_time" ? stamp(row[name]) : row[name]);
    const pairs = data.columns.map(([name]) => [name, shown(name)]).filter(([name, value]) => row[name] !== "" && row[name] !== null && !["severity", "detail", "state"].includes(name) && value !== "");
    const list = h("dl", {}, pairs.map(([name, value]) => [h("dt", {}, name.replaceAll("_", " ")), h("dd", { class: "mono" }, bdi(value))]));
    const commands = [["This finding, judged again", "attest-audit explain " + row.fingerprint + " --report " + folder], ["Proof for others", "attest-audit evidence " + row.fingerprint + " --report " + folder + " --out case"]];
    if (isAside(row)) commands.length = 0;
    if (row.line > 0) commands.push(["The line, check by check", "attest-audit inspect " + quoted(row.source + ":" + row.line) + " --report " + folder]);
    commands.push(["What the code means", "attest-audit explain " + row.code]);
    return [list, h("dl", {}, commands.map(([name, command]) => [h("dt", {}, name), h("dd", {}, h("code", {}, visible(command)))]))];
  }
  function tableRow(row) {
    const cell = (name, content, cls) => h("td", { "data-name": name, class: cls || null }, content);
    return h("tr", { id: "f-" + row.fingerprint + "-" + row.order },
      cell("Severity", h("span", { class: "sev s" + row.level }, SHAPES[row.level] + " " + row.severity)),
      cell("Finding", [h("details", {}, h("summary", {}, row.title + (row.count > 1 ? " (" + row.count + " records)" : "")), explain(row)), h("span", { class: "note" }, bdi(row.detail))]),
      cell("Time", stamp(row.time)),
      cell("Decision", h("span", { class: row.decision === "accepted" ? "let" : row.decision ? null : "unlogged" }, row.decided)),
      cell("Key", row.key_id ? h("a", { href: address({ key: row.key_id }), class: "mono", title: row.key_id }, row.key_id.slice(0, 12)) : ""),
      cell("Request", bdi(row.request_id)),
      cell("Place", [bdi(row.source.split("/").slice(-2).join("/")), row.line ? ":" + row.line : ""]),
      cell("Link", h("a", { href: address({ fingerprint: row.fingerprint }), class: "mono", "aria-label": "Link to finding " + row.fingerprint }, row.fingerprint.slice(0, 8))));
  }
  function showMore(count) {
    const part = document.createDocumentFragment();
    for (const row of current.slice(shown, shown + count)) part.append(tableRow(row));
    shown = Math.min(current.length, shown + count);
    body.append(part);
    more.hidden = shown >= current.length;
    more.textContent = "Show " + Math.min(500, current.length - shown) + " more";
  }
  function apply(moveFocus) {
    filter = filterOf(decodeURIComponent(location.hash.slice(1).replace(/\+/g, " ")) === "" ? "" : location.hash.slice(1));
    current = rows.filter((row) => matches(row, filter)).sort(SORTS[filter.sort] || byHarm);
    shown = 0;
    body.replaceChildren();
    showMore(100);
    const aside = filter.state === "accepted" || filter.state === "withdrawn" ? filter.state : "";
    const there = aside ? rows.filter((row) => row.state === aside).length : reported;
    const out = (aside ? data[aside] : data.total) - there;
    status.textContent = current.length + " of " + there + " " + aside + (aside ? " " : "") + "findings" + (filter.build && data.builds[filter.build] ? " of the build " + visible(data.builds[filter.build].name) : "") + (out > 0 ? "; " + out + " more are only in " + (aside || "findings") + ".csv" : "") +
      (filter.fingerprint && !current.length ? ": not on this page: grep " + filter.fingerprint + " findings.csv" : "");
    for (const field of form.elements) if (field.name) field.value = filter[field.name] || "";
    for (const link of document.querySelectorAll(".tabs a")) {
      const state = filterOf(link.hash.slice(1)).state || "";
      if (state === (filter.state || "")) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    for (const head of document.querySelectorAll("th[data-sort]")) head.setAttribute("aria-sort", (filter.sort || "harm") === head.dataset.sort ? "ascending" : "none");
    if (!moveFocus || !Object.keys(filter).length) return;
    if (filter.fingerprint && current.length) {
      const first = body.firstElementChild;
      first.classList.add("target");
      first.querySelector("details").open = true;
      first.querySelector("summary").focus();
    } else {
      const heading = document.getElementById("findings");
      heading.focus();
      heading.scrollIntoView();
    }
  }
  function go(change) {
    const next = { ...filter, ...change };
    for (const key of Object.keys(next)) if (!next[key]) delete next[key];
    const fragment = new URLSearchParams(next).toString();
    history.pushState(null, "", fragment ? "#" + fragment : location.pathname + location.search);
    apply(false);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", (event) => { if (event.target.name) go({ [event.target.name]: event.target.value }); });
  form.addEventListener("input", (event) => { if (event.target.name === "text") go({ text: event.target.value }); });
  form.addEventListener("reset", (event) => { event.preventDefault(); go(Object.fromEntries(FIELDS.map((f) => [f, ""]))); });
  more.addEventListener("click", () => showMore(500));
  for (const head of document.querySelectorAll("th[data-sort] button")) head.addEventListener("click", () => go({ sort: head.parentElement.dataset.sort }));
  addEventListener("hashchange", () => apply(true));
  addEventListener("popstate", () => apply(false));

  // MARK: arrow keys in the strip

  for (const strip of document.querySelectorAll("table.strip")) {
    const links = [...strip.querySelectorAll("td a")];
    links.forEach((link, index) => { link.tabIndex = index ? -1 : 0; });
    strip.addEventListener("keydown", (event) => {
      const index = links.indexOf(document.activeElement);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (index < 0 || !step) return;
      const next = links[Math.max(0, Math.min(links.length - 1, index + step))];
      links[index].tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      event.preventDefault();
    });
  }

  apply(location.hash.includes("="));
  document.documentElement.dataset.ready = "true";
})();
