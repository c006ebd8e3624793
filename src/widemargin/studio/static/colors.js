// Colors of classes; certainty blends them with gray.

const FIRST = ["#3b6fd4", "#e07b1a", "#2f9e58", "#d1394a", "#8a5bd1", "#1a9ba8", "#d9579f",
  "#96634a", "#94920f", "#5d7a96", "#6aab1c", "#c69a00"];
const GRAY = { light: [136, 143, 153], dark: [104, 111, 122] }; // contrast 3:1 with the map
const FAINT = { light: [218, 222, 228], dark: [50, 55, 64] }; // rows that are not meant
export const LEVELS = 16;

function fromHue(hue) {
  const part = (n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (0.5 - 0.32 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return `#${[0, 8, 4].map((n) => part(n).toString(16).padStart(2, "0")).join("")}`;
}

export const color = (code) => FIRST[code] ?? fromHue((code * 137.508) % 360);
const parts = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// A table of pixels: LEVELS for each class, then gray for rows without one, then faint.
export function palette(nClasses, theme) {
  const gray = GRAY[theme];
  const table = new Uint32Array((nClasses + 2) * LEVELS);
  for (let code = 0; code <= nClasses + 1; code++) {
    const own = code < nClasses ? parts(color(code)) : code === nClasses ? gray : FAINT[theme];
    for (let level = 0; level < LEVELS; level++) {
      const share = code > nClasses ? 1 : (level / (LEVELS - 1)) ** 1.5;
      const [r, g, b] = own.map((value, i) => Math.round(gray[i] + share * (value - gray[i])));
      table[code * LEVELS + level] = (255 << 24) | (b << 16) | (g << 8) | r;
    }
  }
  return table;
}
