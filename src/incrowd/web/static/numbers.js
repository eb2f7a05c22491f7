// Numbers for people. Shares come and go as decimal texts; none is ever rounded on its way to the plan.

const whole = new Intl.NumberFormat("en");

export const count = (number) => (number === null || number === undefined ? "–" : whole.format(number));

/** "1 row", "1,000 rows". */
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A share such as "0.0461" as "4.6 %", for reading only. */
export function percent(share) {
  if (share === null || share === undefined || share === "") return "–";
  const value = Number(share) * 100;
  if (!Number.isFinite(value)) return String(share);
  if (value > 0 && value < 0.1) return "below 0.1\u00a0%"; // the space keeps number and sign together
  if (value < 100 && value > 99.9) return "above 99.9\u00a0%";
  const digits = value >= 10 && Math.abs(value - Math.round(value)) < 0.05 ? 0 : 1;
  return `${value.toFixed(digits).replace(/\.0$/, "")}\u00a0%`;
}

/** "29 of 100 people" for a share. */
export function ofHundred(share) {
  const value = Number(share) * 100;
  if (value > 0 && value < 1) return "fewer than 1 of 100 people";
  if (value > 99 && value < 100) return "more than 99 of 100 people";
  return `${Math.round(value)} of 100 people`;
}

const DECIMAL = /^\s*(\d*)(?:[.,](\d*))?\s*$/;

/** Percent, as typed, to a share as text: "2.5" gives "0.025". Only the point moves. Null if it is no number. */
export function shareOf(typed) {
  const found = DECIMAL.exec(typed);
  if (!found || !(found[1] || found[2])) return null;
  const digits = (found[1] || "").padStart(3, "0");
  const head = digits.slice(0, -2).replace(/^0+(?=\d)/, "");
  const tail = (digits.slice(-2) + (found[2] || "")).replace(/0+$/, "");
  return tail ? `${head}.${tail}` : head;
}

/** A share as text to percent as text: "0.025" gives "2.5". */
export function percentOf(share) {
  const found = DECIMAL.exec(String(share ?? "0"));
  if (!found) return String(Number(share) * 100);
  const tail = (found[2] || "").padEnd(2, "0");
  const head = ((found[1] || "") + tail.slice(0, 2)).replace(/^0+(?=\d)/, "");
  const rest = tail.slice(2).replace(/0+$/, "");
  return rest ? `${head}.${rest}` : head;
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const [unit, one] = bytes < 1e6 ? ["kB", 1e3] : bytes < 1e9 ? ["MB", 1e6] : ["GB", 1e9];
  return `${(bytes / one).toFixed(bytes / one < 10 ? 1 : 0)} ${unit}`;
}

export function seconds(number) {
  if (number === null || number === undefined) return "";
  if (number < 1) return "less than a second";
  if (number < 90) return counted(Math.round(number), "second");
  return counted(Math.round(number / 60), "minute");
}

/** A day and a time as people write it. */
export function moment(text) {
  const found = new Date(text);
  return Number.isNaN(found.getTime()) ? String(text) : found.toLocaleString(
    "en-GB",
    { dateStyle: "medium", timeStyle: "short" },
  );
}
