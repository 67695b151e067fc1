"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const FROM = 0, TO = 1, REPEATED = 2, TOKENS = 3, PARENT = 4, LEVEL = 5, START = 6, END = 7, ID = 8, PAGES = 9;
  const MOST_HITS = 2000;
  const WIDEST_BAR = 40;  // pixels
  const GROUP = 40;  // elements that are laid out together, or not at all while out of sight
  const byId = (id) => document.getElementById(id);
  const number = new Intl.NumberFormat("en").format;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const frame = (work) => requestAnimationFrame(work);

  /** An element with attributes and children; strings become text, never markup. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  /** The last index whose value is at most `wanted`; 0 if none is. */
  function lastAtMost(count, valueAt, wanted) {
    let low = 0, high = count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (valueAt(middle) <= wanted) low = middle; else high = middle - 1;
    }
    return low;
  }

  /** Once a frame at most. */
  function paced(work) {
    let waiting = false;
    return () => {
      if (waiting) return;
      waiting = true;
      frame(() => { waiting = false; work(); });
    };
  }

  const titleOf = (chunk) => data.text.slice(chunk[FROM], Math.min(chunk[TO], chunk[FROM] + 80)).replace(/\s+/g, " ");

  /** One chunking of the document: its text, and the bar of its chunk sizes. */
  class Pane {
    constructor(chunking, prefix) {
      this.chunking = chunking;
      this.chunks = chunking.chunks;
      this.prefix = prefix;
      this.now = 0;
      this.nodes = [];
      this.nodeFrom = [];
      this.canvas = make("canvas", { role: "img", "aria-label": this.summary() });
      this.text = make("div", { class: "text", role: "region", "aria-label": `Chunks under ${chunking.name}` });
      this.text.append(this.content());
      this.groups = [...this.text.querySelectorAll(".group")];
      this.elements = [...this.text.querySelectorAll(".chunk")];
      this.element = make("section", { class: "pane" }, make("div", { class: "sizes" }, this.figures(), this.canvas), this.text);
      this.listen();
      new ResizeObserver(paced(() => this.draw())).observe(this.canvas);
    }

    figures() {
      const line = make("p", {}, make("strong", {}, this.chunking.name));
      for (const part of this.parts()) line.append(make("span", {}, part));
      return line;
    }

    parts() {
      const bodies = this.chunks.filter((chunk) => !chunk[LEVEL]);
      const sizes = bodies.map((chunk) => chunk[TOKENS]).sort((a, b) => a - b);
      const repeated = bodies.reduce((sum, chunk) => sum + chunk[REPEATED].length, 0);
      const parts = [`${number(this.chunks.length)} chunks, ${number(bodies.length)} of them bodies`];
      if (sizes.length) {
        parts.push(`median ${number(sizes[sizes.length >> 1])}, largest ${number(sizes[sizes.length - 1])} of ${number(this.chunking.max)} tokens`);
        parts.push(`${(100 * repeated / Math.max(data.text.length, 1)).toFixed(1)} % repeated`);
      }
      return parts;
    }

    summary() { return `Chunk sizes under ${this.chunking.name}: ${this.parts().join("; ")}`; }

    content() {
      const all = document.createDocumentFragment();
      let block = 0, group = null, lines = 0;
      this.chunks.forEach((chunk, index) => {
        if (index % GROUP === 0) {
          group = make("div", { class: "group" });
          all.append(group);
          lines = 0;
        }
        while (block < data.blocks.length - 1 && data.blocks[block][2] <= chunk[FROM]) block += 1;
        const element = this.chunk(chunk, index, block);
        group.append(element);
        lines += Math.max((chunk[TO] - chunk[FROM] + chunk[REPEATED].length) / 78 + element.childElementCount, 2);
        group.style.containIntrinsicSize = `auto ${Math.round(24 * lines)}px`;
      });
      if (!this.chunks.length) all.append(make("p", {}, "This document holds no text."));
      return all;
    }

    chunk(chunk, index, block) {
      const level = chunk[LEVEL];
      const element = make("section", {
        class: `chunk c${index % 4}${level ? ` head h${level}` : ""}`,
        id: `${this.prefix}${index}`,
        tabindex: index ? "-1" : "0",
        "data-i": index,
        "data-label": `#${index}\n${number(chunk[TOKENS])} tok`,
        "aria-label": `Chunk ${index}, ${level ? `heading of level ${level}` : "body"}, ${chunk[TOKENS]} tokens`,
      });
      if (chunk[REPEATED]) {
        element.append(make("div", { class: "overlap", dir: "auto", title: "Overlap: repeats earlier text of the section" }, chunk[REPEATED].trimEnd()));
      }
      for (let at = block; at < data.blocks.length && data.blocks[at][1] < chunk[TO]; at += 1) {
        const [type, start, end, marker, depth] = data.blocks[at];
        const from = Math.max(start, chunk[FROM]), to = Math.min(end, chunk[TO]);
        const node = document.createTextNode(data.text.slice(from, to));
        const more = level ? { role: "heading", "aria-level": level } : marker && from === start ? { "data-marker": marker } : {};
        element.append(make("div", { class: `${data.types[type]}${depth ? ` d${depth}` : ""}`, dir: "auto", ...more }, node));
        this.nodes.push(node);
        this.nodeFrom.push(from);
      }
      return element;
    }

    listen() {
      const indexOf = (event) => {
        const element = event.target.closest?.(".chunk");
        return element ? Number(element.dataset.i) : null;
      };
      this.text.addEventListener("mouseover", (event) => { const i = indexOf(event); if (i !== null) describe(this, i); });
      this.text.addEventListener("mouseleave", () => describe(this, this.now));
      this.text.addEventListener("click", (event) => { const i = indexOf(event); if (i !== null && !String(getSelection())) select(this, i, { focus: true }); });
      this.text.addEventListener("focusin", (event) => { const i = indexOf(event); if (i !== null && i !== this.now) select(this, i); });
      for (const sign of ["pointerenter", "wheel", "touchstart", "focusin"]) {
        this.element.addEventListener(sign, () => { driver = this; }, { passive: true });
      }
      this.text.addEventListener("scroll", paced(() => { if (driver === this) scrolled(this); }), { passive: true });
      const pointed = (event) => Math.min(this.chunks.length - 1, Math.max(0, Math.floor(event.offsetX / this.step())));
      this.canvas.addEventListener("mousemove", (event) => { if (this.chunks.length) describe(this, pointed(event)); });
      this.canvas.addEventListener("mouseleave", () => describe(this, this.now));
      this.canvas.addEventListener("click", (event) => { if (this.chunks.length) select(this, pointed(event), { focus: true, block: "start" }); });
    }

    chunkAt(offset) { return lastAtMost(this.chunks.length, (i) => this.chunks[i][FROM], offset); }

    /** How far an element's upper edge lies below that of the view. */
    below(element) { return element.getBoundingClientRect().top - this.text.getBoundingClientRect().top; }

    topChunk() {
      const group = lastAtMost(this.groups.length, (i) => this.below(this.groups[i]), 30);
      const inside = this.groups[group].children;
      return GROUP * group + lastAtMost(inside.length, (i) => this.below(inside[i]), 30);
    }

    isInView(index) {
      const element = this.elements[index], at = this.below(element);
      return at > -element.offsetHeight && at < this.text.clientHeight;
    }

    /** The text offset at the upper edge of the view, and back. */
    offset() {
      const i = this.topChunk(), chunk = this.chunks[i];
      const share = -this.below(this.elements[i]) / Math.max(this.elements[i].offsetHeight, 1);
      return chunk[FROM] + Math.min(Math.max(share, 0), 1) * (chunk[TO] - chunk[FROM]);
    }

    showOffset(offset) {
      const i = this.chunkAt(offset), element = this.elements[i], chunk = this.chunks[i];
      const share = Math.min((offset - chunk[FROM]) / Math.max(chunk[TO] - chunk[FROM], 1), 1);
      this.text.scrollTop += this.below(element) + share * element.offsetHeight;
    }

    mark(index) {
      this.elements[this.now]?.classList.remove("now");
      this.elements[this.now]?.setAttribute("tabindex", "-1");
      this.now = index;
      this.elements[index]?.classList.add("now");
      this.elements[index]?.setAttribute("tabindex", "0");
      this.draw();
    }

    /** Brings a chunk into view; what lies between may take its true height only then, so again. */
    reveal(index, block, again = 2) {
      const element = this.elements[index], before = this.text.scrollTop;
      const tall = element.offsetHeight > this.text.clientHeight - 60;
      element.scrollIntoView({ block: tall && block === "nearest" ? "start" : block });
      if (again && this.text.scrollTop !== before) frame(() => { if (this.now === index) this.reveal(index, block, again - 1); });
    }

    range(from, to) {
      const place = (offset) => {
        const i = lastAtMost(this.nodes.length, (at) => this.nodeFrom[at], offset);
        return [this.nodes[i], Math.min(offset - this.nodeFrom[i], this.nodes[i].length)];
      };
      const range = new Range();
      range.setStart(...place(from));
      range.setEnd(...place(to - 1));
      if (range.endOffset < range.endContainer.length) range.setEnd(range.endContainer, range.endOffset + 1);
      return range;
    }

    step() { return Math.min(this.canvas.clientWidth / this.chunks.length, WIDEST_BAR); }

    /** The bars are painted once for a size and a color scheme; the mark moves over them. */
    draw() {
      const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
      if (!width || !this.chunks.length) return;
      const scale = devicePixelRatio || 1, state = [width, height, scale, dark.matches].join();
      if (state !== this.painted) {
        this.painted = state;
        this.colors = getComputedStyle(document.documentElement);
        this.canvas.width = Math.round(width * scale);
        this.canvas.height = Math.round(height * scale);
        this.bars = new OffscreenCanvas(this.canvas.width, this.canvas.height);
        this.paint(this.bars.getContext("2d"), width, height, scale);
        this.ink = this.colors.getPropertyValue("--ink");
      }
      const pen = this.canvas.getContext("2d"), step = this.step(), wide = Math.max(step - 1, 2);
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
      pen.drawImage(this.bars, 0, 0);
      pen.scale(scale, scale);
      pen.fillStyle = this.ink;
      pen.fillRect(this.now * step, 0, wide, 3);
      const tall = step < 3 ? height : this.rise(this.chunks[this.now], height);
      pen.fillRect(this.now * step, height - tall, wide, tall);
    }

    rise(chunk, height) {
      this.highest ??= 1.06 * this.chunks.reduce((most, one) => Math.max(most, one[TOKENS]), this.chunking.max);
      return Math.max(1, height * chunk[TOKENS] / this.highest);
    }

    paint(pen, width, height, scale) {
      const [bar, head, over] = ["--e0", "--soft", "--over"].map((name) => this.colors.getPropertyValue(name));
      const budget = this.chunking.max, step = this.step();
      const wide = Math.max(step > 3 ? step - 1 : step, 1);
      pen.scale(scale, scale);
      let column = -1, tallest = -1;
      this.chunks.forEach((chunk, i) => {
        const x = step < 1 ? Math.floor(i * step) : i * step, tall = this.rise(chunk, height);
        if (x === column && tall <= tallest) return;
        [column, tallest] = [x, tall];
        pen.fillStyle = chunk[TOKENS] > budget ? over : chunk[LEVEL] ? head : bar;
        pen.fillRect(x, height - tall, wide, tall);
      });
      const line = height - height * budget / this.highest;
      pen.strokeStyle = head;
      pen.setLineDash([5, 4]);
      pen.beginPath();
      pen.moveTo(0, line);
      pen.lineTo(width, line);
      pen.stroke();
    }
  }

  const panes = [];
  let shown = [];
  let driver = null;
  const pane = (index) => (panes[index] ??= new Pane(data.chunkings[index], "cd"[index]));
  const others = (of) => shown.filter((other) => other !== of);

  function show(indexes) {
    const offset = driver && driver.chunks.length ? driver.chunks[driver.now][FROM] : 0;
    shown = indexes.map(pane);
    byId("panes").replaceChildren(...shown.map((one) => one.element));
    const first = shown.includes(driver) ? driver : shown[0];
    driver = first;
    drawTree(first);
    for (const one of shown) {
      if (one.chunks.length) { one.mark(one.chunkAt(offset)); one.reveal(one.now, "start"); }
    }
    describe(first, first.now);
    search.refresh();
  }

  function select(one, index, { focus = false, block = null } = {}) {
    if (index < 0 || index >= one.chunks.length) return;
    driver = one;
    one.mark(index);
    if (focus) one.elements[index].focus({ preventScroll: true });
    if (block) one.reveal(index, block);
    for (const other of others(one)) {
      other.mark(other.chunkAt(one.chunks[index][FROM]));
      if (block) other.reveal(other.now, block);
    }
    describe(one, index);
    tree.follow(one, index);
  }

  function scrolled(one) {
    if (!one.chunks.length) return;
    tree.follow(one, one.isInView(one.now) ? one.now : one.topChunk());
    const offset = one.offset();
    for (const other of others(one)) other.showOffset(offset);
  }

  function describe(one, index) {
    const footer = byId("details"), chunk = one.chunks[index];
    footer.replaceChildren();
    if (!chunk) return;
    const fact = (name, value, kind = "") => footer.append(make("div", kind ? { class: kind } : {}, make("span", {}, `${name} `), value));
    const bold = (text, kind = "") => make("b", kind ? { class: kind } : {}, text);
    fact("Chunk", bold(`#${index}`));
    fact("Kind", bold(chunk[LEVEL] ? `heading, level ${chunk[LEVEL]}` : "body"));
    const share = Math.round(100 * chunk[TOKENS] / one.chunking.max);
    fact("Tokens", bold(`${number(chunk[TOKENS])} of ${number(one.chunking.max)} (${share} %)`, share > 100 ? "over" : ""));
    const parent = chunk[PARENT];
    if (parent >= 0) fact("Parent", make("button", { type: "button", "data-parent": parent }, `#${parent} ${titleOf(one.chunks[parent])}`));
    else fact("Parent", bold("none"));
    if (chunk[PAGES]) fact("Page", bold(chunk[PAGES]));
    if (chunk[REPEATED]) fact("Overlap", bold(`${number([...chunk[REPEATED]].length)} characters`));
    fact("Characters", bold(`${number(chunk[START])}–${number(chunk[END])}`), "wide");
    fact("Id", make("code", {}, chunk[ID]), "wide");
    footer.dataset.pane = data.chunkings.indexOf(one.chunking);
  }

  const tree = {
    links: [], from: [], current: null,
    follow(one, index) {
      if (!this.links.length) return;
      const offset = one.chunks[index][FROM];
      const link = offset < this.from[0] ? null : this.links[lastAtMost(this.from.length, (i) => this.from[i], offset)];
      if (link === this.current) return;
      this.current?.removeAttribute("aria-current");
      link?.setAttribute("aria-current", "true");
      this.current = link;
      link?.scrollIntoView({ block: "nearest" });
    },
  };

  function grouped(links) {
    const groups = [];
    for (let i = 0; i < links.length; i += GROUP) groups.push(make("div", {}, ...links.slice(i, i + GROUP)));
    return groups;
  }

  function drawTree(one) {
    const tokens = one.chunks.map((chunk) => chunk[TOKENS]);
    for (let i = one.chunks.length - 1; i >= 0; i -= 1) {
      if (one.chunks[i][PARENT] >= 0) tokens[one.chunks[i][PARENT]] += tokens[i];
    }
    const heads = one.chunks.map((chunk, i) => [chunk, i]).filter(([chunk]) => chunk[LEVEL]);
    const depths = [];
    one.chunks.forEach((chunk, i) => { depths[i] = chunk[PARENT] < 0 ? 1 : depths[chunk[PARENT]] + 1; });
    tree.from = heads.map(([chunk]) => chunk[FROM]);
    tree.links = heads.map(([chunk, i]) => make("a",
      { href: `#${one.prefix}${i}`, class: `l${depths[i]}`, "data-from": chunk[FROM] },
      make("b", { dir: "auto" }, titleOf(chunk)),
      make("small", { title: "tokens in this section" }, number(tokens[i]))));
    tree.current = null;
    byId("tree").replaceChildren(...(heads.length ? grouped(tree.links) : [make("p", {}, "No headings.")]));
  }

  const search = {
    hits: [], at: -1,
    run() {
      const query = byId("query").value;
      this.hits = [];
      this.at = -1;
      if (query.trim()) {
        const pattern = new RegExp(query.trim().replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/\s+/g, "\\s+"), "giu");
        for (const found of data.text.matchAll(pattern)) {
          if (this.hits.push([found.index, found.index + found[0].length]) >= MOST_HITS) break;
        }
      }
      this.refresh();
      if (this.hits.length) this.go(0);
      else this.say();
    },
    say() {
      const many = this.hits.length >= MOST_HITS ? "+" : "";
      byId("hits").textContent = !byId("query").value.trim() ? "" : this.hits.length ? `${number(this.at + 1)} / ${number(this.hits.length)}${many}` : "no hit";
    },
    refresh() {
      if (!globalThis.Highlight) return;
      const ranges = this.hits.flatMap(([from, to]) => shown.map((one) => one.range(from, to)));
      CSS.highlights.set("hits", new Highlight(...ranges));
      CSS.highlights.delete("hit");
    },
    go(step) {
      if (!this.hits.length) return;
      this.at = (this.at + (this.at < 0 ? 1 : step) + this.hits.length) % this.hits.length;
      const [from, to] = this.hits[this.at], one = shown.includes(driver) ? driver : shown[0];
      select(one, one.chunkAt(from), { block: "nearest" });
      if (globalThis.Highlight) {
        const now = new Highlight(...shown.map((other) => other.range(from, to)));
        now.priority = 1;
        CSS.highlights.set("hit", now);
      }
      frame(() => frame(() => frame(() => {
        for (const other of shown) {
          const box = other.range(from, to).getBoundingClientRect(), view = other.text.getBoundingClientRect();
          if (box.top < view.top || box.bottom > view.bottom) other.text.scrollTop += box.top - view.top - view.height / 3;
        }
      })));
      this.say();
    },
  };

  function modes() {
    const choices = data.chunkings.map((chunking, i) => [chunking.name, [i]]);
    if (choices.length === 2) choices.push(["Compare", [0, 1]]);
    for (const [name, indexes] of choices) {
      const radio = make("input", { type: "radio", name: "mode", value: indexes.join() });
      radio.checked = indexes.join() === "0";
      byId("modes").append(make("label", {}, radio, make("span", {}, name)));
    }
    byId("modes").hidden = choices.length < 2;
    byId("modes").addEventListener("change", (event) => show(event.target.value.split(",").map(Number)));
  }

  function switchCompare() {
    const wanted = shown.length > 1 ? String(panes.indexOf(driver)) : "0,1";
    const radio = document.querySelector(`#modes input[value="${wanted}"]`);
    if (!radio) return;
    radio.checked = true;
    show(wanted.split(",").map(Number));
  }

  function toParent(one, index) {
    const parent = one.chunks[index]?.[PARENT];
    if (parent >= 0) select(one, parent, { focus: true, block: "nearest" });
  }

  function step(event) {
    const one = shown.includes(driver) ? driver : shown[0];
    const move = (to) => select(one, Math.min(Math.max(to, 0), one.chunks.length - 1), { focus: true, block: "nearest" });
    const keys = {
      j: () => move(one.now + 1), ArrowDown: () => move(one.now + 1),
      k: () => move(one.now - 1), ArrowUp: () => move(one.now - 1),
      Home: () => move(0), End: () => move(one.chunks.length - 1),
      p: () => toParent(one, one.now), c: switchCompare,
      "/": () => { byId("query").focus(); byId("query").select(); },
      "?": () => byId("keys-toggle").click(),
      Escape: () => openTree(false),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
    if (event.target.closest("fieldset") && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const link = event.target.closest("#tree a");
    if (link && event.key.startsWith("Arrow")) {
      tree.links[tree.links.indexOf(link) + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
      return;
    }
    keys[event.key]();
  }

  function openTree(open) {
    byId("tree").classList.toggle("open", open);
    byId("tree-toggle").setAttribute("aria-expanded", String(open));
  }

  function start() {
    const facts = [data.type, data.pages ? `${number(data.pages)} pages${data.needOcr ? `, ${number(data.needOcr)} need OCR` : ""}` : "",
      `${number(data.blocks.length)} blocks`, `${number(data.text.length)} characters`, data.chunkings[0].tokenizer, data.id];
    byId("title").textContent = data.title;
    byId("facts").textContent = facts.filter(Boolean).join(" · ");
    modes();
    show([0]);
    document.addEventListener("keydown", (event) => { if (event.target !== byId("query")) step(event); });
    byId("query").addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); if (pending) { clearTimeout(pending); pending = 0; search.run(); } else search.go(event.shiftKey ? -1 : 1); }
      if (event.key === "Escape") { byId("query").value = ""; search.run(); driver.elements[driver.now]?.focus(); }
    });
    let pending = 0;
    byId("query").addEventListener("input", () => { clearTimeout(pending); pending = setTimeout(() => { pending = 0; search.run(); }, 150); });
    byId("tree").addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      event.preventDefault();
      const one = shown.includes(driver) ? driver : shown[0];
      select(one, one.chunkAt(Number(link.dataset.from)), { focus: true, block: "start" });
      openTree(false);
    });
    byId("details").addEventListener("click", (event) => {
      const parent = event.target.closest("button")?.dataset.parent;
      if (parent !== undefined) select(pane(Number(byId("details").dataset.pane)), Number(parent), { focus: true, block: "nearest" });
    });
    byId("tree-toggle").addEventListener("click", () => openTree(!byId("tree").classList.contains("open")));
    byId("keys-toggle").addEventListener("click", () => {
      byId("keys").hidden = !byId("keys").hidden;
      byId("keys-toggle").setAttribute("aria-expanded", String(!byId("keys").hidden));
    });
    dark.addEventListener("change", () => shown.forEach((one) => one.draw()));
    const linked = /^#c(\d+)$/.exec(location.hash);
    if (linked) select(pane(0), Number(linked[1]), { focus: true, block: "start" });
  }

  start();
})();
