// Rows of slices as pixels. A pixel has the colour of one slice or none: nothing is mixed, so nothing is painted that
// is not there, and of each colour there is as much as slices are long.

import { el } from './dom.js';

const FAINT = 38; // of 255

/** As a canvas keeps it, where the lowest byte stands first. */
function pixelOf(colour, isFaint) {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return (((isFaint ? FAINT : 255) << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Gives a canvas a size, and clears it; where it has that size, without pixels of its own anew. */
export function clearTo(canvas, width, height) {
  const pen = canvas.getContext('2d');
  if (canvas.width === width && canvas.height === height && pen.reset) {
    pen.reset();
    return;
  }
  canvas.width = width;
  canvas.height = height;
}

/** A picture with rows of `bar` pixels' height. */
export class Strips {
  constructor(width, height, bar) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.bar = Math.max(1, bar);
    this.image = new ImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    /** What a row shows at its parts: `bar` of them to a pixel's width. */
    this.cells = new Uint32Array(this.width * this.bar);
  }

  isFor(width, height, bar) {
    return this.width === width && this.height === height && this.bar === bar;
  }

  clear() {
    this.pixels.fill(0);
  }

  /**
   * Paints the parts as a row from `y` on. In a column of pixels time runs downwards: what is shorter than a pixel is
   * wide has its share of the height there. `inkOf(slice)` gives a colour as `#rrggbb` and whether it is faint. Nothing
   * is painted above `least`.
   */
  paint(y, inkOf, least = 0) {
    const { cells, pixels, width, bar } = this;
    const known = new Map();
    const pixel = (slice) => {
      if (!known.has(slice)) known.set(slice, pixelOf(...inkOf(slice)));
      return known.get(slice);
    };
    let [before, ink] = [0, 0];
    const [first, last] = [Math.max(0, least - y), Math.min(bar, this.height - y)];
    for (let x = 0; x < width; ++x) {
      for (let k = first; k < last; ++k) {
        const cell = cells[x * bar + k];
        if (cell !== before) {
          before = cell;
          ink = cell ? pixel(cell - 1) : 0;
        }
        pixels[(y + k) * width + x] = ink;
      }
    }
  }

  /** Shares of columns, colour by colour from the bottom up, as a row from `y` on; what is more than the whole is cut. */
  paintShares(y, shares, least = 0) {
    const { pixels, width, bar } = this;
    const [first, last] = [Math.max(0, least - y), Math.min(bar, this.height - y)];
    const below = new Float32Array(width);
    for (const [colour, list] of shares) {
      const ink = pixelOf(colour, false);
      for (let x = 0; x < width; ++x) {
        const share = list[x];
        if (share === 0) continue;
        const bottom = bar - Math.round(below[x] * bar);
        below[x] += share;
        const top = bar - Math.round(below[x] * bar);
        for (let k = top > first ? top : first; k < bottom && k < last; ++k) pixels[(y + k) * width + x] = ink;
      }
    }
  }

  /** Over what is there, pixel on pixel. */
  putOn(pen, left) {
    this.canvas ??= el('canvas', { width: this.width, height: this.height });
    this.canvas.getContext('2d').putImageData(this.image, 0, 0);
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.canvas, left, 0);
    pen.restore();
  }
}
