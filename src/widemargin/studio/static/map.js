// All rows as points, drawn pixel by pixel: quick also for a hundred thousand of them.

import { LEVELS, color, palette } from "./colors.js";

const MORPH = 1100; // milliseconds
const BANDS = 512; // of a lasso: a point is compared with the edges at its height only

// Points of a plane (x and y in turn) inside a polygon: a line to the right crosses it an
// odd number of times.
export function pointsInside(plane, xs, ys) {
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const perUnit = BANDS / (high - low || 1);
  const band = (y) => Math.min(Math.floor((y - low) * perUnit), BANDS - 1);
  const edges = Array.from({ length: BANDS }, () => []);
  for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
    if (ys[a] === ys[b]) continue; // it is never crossed
    const last = band(Math.max(ys[a], ys[b]));
    for (let k = band(Math.min(ys[a], ys[b])); k <= last; k++) {
      edges[k].push(xs[a], ys[a], (xs[b] - xs[a]) / (ys[b] - ys[a]), ys[b]);
    }
  }
  const bands = edges.map((list) => Float64Array.from(list));
  const rows = [];
  for (let i = 0; 2 * i < plane.length; i++) {
    const x = plane[2 * i];
    const y = plane[2 * i + 1];
    if (x < left || x > right || y < low || y > high) continue;
    const near = bands[band(y)];
    let isIn = false;
    for (let k = 0; k < near.length; k += 4) {
      if (near[k + 1] > y !== near[k + 3] > y && x < near[k] + near[k + 2] * (y - near[k + 1])) isIn = !isIn;
    }
    if (isIn) rows.push(i);
  }
  return rows;
}

export class RowMap {
  constructor(canvas, { hover, pick, select }) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.calls = { hover, pick, select };
    this.plane = new Float32Array(0);
    this.codes = new Uint16Array(0);
    this.certainty = new Uint8Array(0);
    this.labels = new Map();
    this.selected = new Set();
    this.found = new Set(); // rows of a search
    this.current = -1;
    this.blind = -1; // the row whose class must not be seen
    this.view = { x: 0, y: 0, zoom: 1 };
    this.nClasses = 0;
    this.theme = "light";
    this.lasso = null;
    this.isLasso = false;
    this.only = -1;
    this.waiting = false;
    this.frames = 0;
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.listen();
  }

  get n() { return this.plane.length / 2; }

  resize() {
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    this.image = this.context.createImageData(this.canvas.width, this.canvas.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.ask();
  }

  ask() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame((now) => {
      this.waiting = false;
      this.paint(now);
    });
  }

  place(plane) {
    const isFirst = this.plane.length !== plane.length;
    const isQuick = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isFirst || isQuick) {
      this.plane = plane;
      this.morph = null;
    } else {
      this.morph = { from: this.plane.slice(), to: plane, begin: performance.now() };
    }
    this.ask();
  }

  recolor(codes, certainty, then) {
    this.codes = codes;
    this.certainty = certainty;
    this.then = then;
    this.ask();
  }

  // From the plane to pixels of the canvas.
  get scale() {
    const { width, height } = this.canvas;
    return 0.46 * Math.min(width, height) * this.view.zoom;
  }

  toPixel(x, y) {
    const { width, height } = this.canvas;
    return [width / 2 + (x - this.view.x) * this.scale, height / 2 - (y - this.view.y) * this.scale];
  }

  step(now) {
    if (!this.morph) return;
    const { from, to, begin } = this.morph;
    const time = Math.min((now - begin) / MORPH, 1);
    const share = time < 0.5 ? 4 * time ** 3 : 1 - (2 - 2 * time) ** 3 / 2;
    const plane = new Float32Array(to.length);
    for (let i = 0; i < to.length; i++) plane[i] = from[i] + share * (to[i] - from[i]);
    this.plane = plane;
    if (time === 1) this.morph = null;
  }

  paint(now) {
    this.step(now);
    const { width, height } = this.canvas;
    if (!this.pixels) return;
    const { plane, codes, certainty, n, nClasses, blind } = this;
    const table = palette(nClasses, this.theme);
    const ratio = window.devicePixelRatio || 1;
    const grown = Math.sqrt(Math.max(this.view.zoom, 0.5));
    const base = n > 50000 ? 1.2 : n > 12000 ? 1.8 : n > 3000 ? 3 : 5;
    const size = Math.max(1, Math.round(base * ratio * Math.min(grown, 3)));
    const half = size >> 1;
    const { scale } = this;
    const left = width / 2 - this.view.x * scale - half;
    const top = height / 2 + this.view.y * scale - half;
    const { pixels } = this;
    pixels.fill(0);
    const round = size > 3;
    for (let i = 0; i < n; i++) {
      const x = (left + plane[2 * i] * scale) | 0;
      const y = (top - plane[2 * i + 1] * scale) | 0;
      if (x < 0 || y < 0 || x + size > width || y + size > height) continue;
      let code = codes[i];
      if (!(code < nClasses) || i === blind) code = nClasses;
      const isFaint = this.only >= 0 && code !== this.only;
      const pixel = table[(isFaint ? nClasses + 1 : code) * LEVELS + (certainty[i] >> 4)];
      for (let row = 0; row < size; row++) {
        const cut = round && (row === 0 || row === size - 1) ? 1 : 0;
        const begin = (y + row) * width + x;
        pixels.fill(pixel, begin + cut, begin + size - cut);
      }
    }
    this.context.putImageData(this.image, 0, 0);
    this.ring(ratio);
    this.frames += 1;
    const then = this.then;
    this.then = null;
    if (then) then();
    if (this.morph) this.ask();
  }

  ring(ratio) {
    const pen = this.context;
    const isDark = this.theme === "dark";
    const spot = (row, radius, fill, edge, wide) => {
      const [x, y] = this.toPixel(this.plane[2 * row], this.plane[2 * row + 1]);
      pen.beginPath();
      pen.arc(x, y, radius * ratio, 0, 7);
      if (fill) { pen.fillStyle = fill; pen.fill(); }
      pen.lineWidth = wide * ratio;
      pen.strokeStyle = edge;
      pen.stroke();
    };
    const edge = isDark ? "#14171c" : "#ffffff";
    const radius = this.labels.size > 1500 ? 2.5 : 4.5;
    for (const [row, code] of this.labels) {
      if (row !== this.blind && (this.only < 0 || code === this.only)) spot(row, radius, color(code), edge, 1.5);
    }
    const marked = this.selected.size ? this.selected : this.found;
    if (marked.size && marked.size <= 5000) {
      pen.beginPath(); // one path for all: a stroke for each takes long
      for (const row of marked) {
        const [x, y] = this.toPixel(this.plane[2 * row], this.plane[2 * row + 1]);
        pen.moveTo(x + 4 * ratio, y);
        pen.arc(x, y, 4 * ratio, 0, 7);
      }
      pen.lineWidth = 1.2 * ratio;
      pen.strokeStyle = isDark ? "#ffffff" : "#1d232c";
      pen.stroke();
    }
    if (this.current >= 0 && this.current < this.n) {
      spot(this.current, 8, null, edge, 5);
      spot(this.current, 8, null, isDark ? "#ffffff" : "#1d232c", 2.2);
    }
    if (this.lasso && this.lasso.length > 1) {
      pen.beginPath();
      for (const [x, y] of this.lasso) pen.lineTo(x, y);
      pen.closePath();
      pen.fillStyle = isDark ? "#8ab0ff2a" : "#2a57b51f";
      pen.fill();
      pen.lineWidth = 1.5 * ratio;
      pen.strokeStyle = isDark ? "#8ab0ff" : "#2a57b5";
      pen.stroke();
    }
  }

  nearest(x, y, within) {
    let best = -1;
    let least = within * within;
    const { scale, plane, n } = this;
    const px = (x - this.canvas.width / 2) / scale + this.view.x;
    const py = this.view.y - (y - this.canvas.height / 2) / scale;
    least /= scale * scale;
    for (let i = 0; i < n; i++) {
      const dx = plane[2 * i] - px;
      const dy = plane[2 * i + 1] - py;
      const square = dx * dx + dy * dy;
      if (square < least) { least = square; best = i; }
    }
    return best;
  }

  inside(lasso) {
    const { scale } = this;
    const xs = Float64Array.from(lasso, ([x]) => (x - this.canvas.width / 2) / scale + this.view.x);
    const ys = Float64Array.from(lasso, ([, y]) => this.view.y - (y - this.canvas.height / 2) / scale);
    return pointsInside(this.plane, xs, ys);
  }

  zoom(factor, x = this.canvas.width / 2, y = this.canvas.height / 2) {
    const before = this.scale;
    const zoom = Math.min(Math.max(this.view.zoom * factor, 0.4), 60);
    const after = (before * zoom) / this.view.zoom;
    const dx = x - this.canvas.width / 2;
    const dy = y - this.canvas.height / 2;
    this.view.x += dx / before - dx / after;
    this.view.y -= dy / before - dy / after;
    this.view.zoom = zoom;
    this.ask();
  }

  showAll() {
    this.view = { x: 0, y: 0, zoom: 1 };
    this.ask();
  }

  setLasso(isLasso) {
    this.isLasso = isLasso;
    this.canvas.classList.toggle("lasso", isLasso);
  }

  listen() {
    const { canvas } = this;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      const ratio = canvas.width / box.width;
      return [(event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio];
    };
    const fingers = new Map();
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      const place = at(event);
      fingers.set(event.pointerId, place);
      if (this.isLasso || event.shiftKey) this.lasso = [place];
      else drag = { place, moved: 0 };
    });
    canvas.addEventListener("pointermove", (event) => {
      const place = at(event);
      if (fingers.size === 2 && fingers.has(event.pointerId)) {
        const [a, b] = [...fingers.values()];
        const before = Math.hypot(a[0] - b[0], a[1] - b[1]);
        fingers.set(event.pointerId, place);
        const [c, d] = [...fingers.values()];
        this.lasso = null;
        this.zoom(Math.hypot(c[0] - d[0], c[1] - d[1]) / before, (c[0] + d[0]) / 2, (c[1] + d[1]) / 2);
        if (drag) drag.moved = 99;
      } else if (this.lasso) {
        const [x, y] = this.lasso.at(-1);
        if (Math.hypot(place[0] - x, place[1] - y) > 2) this.lasso.push(place);
        this.ask();
      } else if (drag) {
        const dx = place[0] - drag.place[0];
        const dy = place[1] - drag.place[1];
        drag.moved += Math.abs(dx) + Math.abs(dy);
        drag.place = place;
        if (drag.moved > 4) {
          this.view.x -= dx / this.scale;
          this.view.y += dy / this.scale;
          this.ask();
        }
      } else {
        const row = this.nearest(...place, 12 * (window.devicePixelRatio || 1));
        this.calls.hover(row, event.offsetX, event.offsetY);
      }
    });
    const end = (event) => {
      fingers.delete(event.pointerId);
      if (this.lasso) {
        const begin = performance.now();
        const rows = this.lasso.length > 2 ? this.inside(this.lasso) : [];
        canvas.dataset.lassoTime = String(performance.now() - begin);
        this.lasso = null;
        this.calls.select(rows);
        this.ask();
      } else if (drag && drag.moved <= 4) {
        const row = this.nearest(...at(event), 14 * (window.devicePixelRatio || 1));
        if (row >= 0) this.calls.pick(row);
      }
      drag = null;
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", () => { drag = null; this.lasso = null; fingers.clear(); });
    canvas.addEventListener("pointerleave", () => this.calls.hover(-1));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 400), ...at(event));
    }, { passive: false });
  }
}
