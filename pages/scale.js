"use strict";
/* Axes: positions of ticks, and formats of numbers. `glossaScale` serves plots and tables. */
(() => {
  /** Formats a readable number: four significant digits, separated thousands, powers of ten only far from one. */
  function text(value) {
    if (value === null || !Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size >= 1e7 || (size > 0 && size < 1e-4)) return powerOfTen(value.toExponential(2));
    if (Number.isInteger(value) || size >= 1000) return Math.round(value).toLocaleString("en-US");
    return String(Number(value.toPrecision(4)));
  }

  /** Formats whole numbers in a message of the program as `text` does, except in names, paths and times. */
  function message(words) {
    return words.replace(/(?<![\w.,:/-])\d{4,}(?![\w:/-]|[.,]\d)/g, (digits) => text(Number(digits)));
  }

  /** Formats "1.20e-5" as "1.2·10⁻⁵". */
  function powerOfTen(exponential) {
    const [digits, power] = exponential.split("e");
    const raised = [...String(Number(power))].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("");
    return Number(digits) === 1 ? `10${raised}` : `${Number(digits)}·10${raised}`;
  }

  /** Returns 1, 2 or 5 times a power of ten, the first that is at least `least`. */
  function roundStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999);
  }

  /** Formats a tick with the decimals that its neighbors need. */
  function tickText(value, step) {
    if (value === 0) return "0";
    if (step < 1e-4 || Math.abs(value) >= 1e7) return powerOfTen(value.toExponential(2));
    const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    return value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
  }

  /** Returns ticks in equal steps, at most about `most`. */
  function linearTicks(low, high, most, whole = false) {
    const step = Math.max(whole ? 1 : 0, roundStep((high - low) / Math.max(1, most)));
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
      ticks.push({ at: i * step, text: tickText(i * step, step) });
    return ticks;
  }

  /** Returns ticks of a logarithmic scale: powers of ten and, if there is room, multiples. If too few, equal steps. */
  function logTicks(low, high, most) {
    const within = (factors) => {
      const ticks = [];
      for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
        for (const factor of factors) ticks.push(factor * 10 ** power);
      return ticks.filter((at) => at >= low * 0.999 && at <= high * 1.001);
    };
    const powers = within([1]);
    const sets = [within([1, 2, 3, 4, 5, 6, 7, 8, 9]), within([1, 2, 5]), within([1, 3]), powers];
    const chosen = sets.find((ticks) => ticks.length <= most) ?? powers;
    if (chosen.length < 3) return linearTicks(low, high, most);
    const every = Math.ceil(chosen.length / Math.max(2, most));
    const format = low < 1e-4 ? (at) => powerOfTen(at.toExponential(2)) : text;  // one format for all
    return chosen.filter((_, i) => i % every === 0).map((at) => ({ at, text: format(at) }));
  }

  /** Maps numbers from [low, high] to pixels from `from` to `to`; if `whole`, linear ticks are whole numbers. */
  function scale(low, high, from, to, log, whole) {
    const value = log ? Math.log : (v) => v;
    const [a, b] = [value(low), value(high)];
    const place = (v) => from + ((value(v) - a) / (b - a || 1)) * (to - from);
    const back = (pixel) => {
      const v = a + ((pixel - from) / (to - from || 1)) * (b - a);
      return log ? Math.exp(v) : v;
    };
    return { low, high, place, back, ticks: (most) => (log ? logTicks : linearTicks)(low, high, most, whole) };
  }

  /** Returns [least, greatest] of the numbers, with a margin unless `tight`; includes 0 if `zero`. */
  function extent(values, { log = false, zero = false, tight = false } = {}) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value === null || !Number.isFinite(value) || (log && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (low > high) return null;
    if (log) return low === high ? [low / 2, high * 2] : tight ? [low, high] : [low / 1.1, high * 1.1];
    if (zero) low = Math.min(0, low);
    if (low === high) return zero ? [0, high || 1] : [low - Math.abs(low || 1) / 2, high + Math.abs(high || 1) / 2];
    const room = tight ? 0 : 0.05 * (high - low);
    return [low >= 0 ? Math.max(zero ? low : 0, low - room) : low - room, high + room];
  }

  window.glossaScale = { text, message, scale, extent };
})();
