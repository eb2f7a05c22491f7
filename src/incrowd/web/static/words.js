// Words that several screens use.

export const ROLES = [
  ["identifier", "Names a person", "Never published.", "person"],
  ["quasi", "Could help recognise", "Published vaguer.", "eye"],
  ["sensitive", "Confidential", "Published; nobody may learn whose it is.", "lock"],
  ["insensitive", "Harmless", "Published as it is.", "leaf"],
  ["shifted", "Shift the days", "All dates of a person moved by the same days: intervals stay, days are not true.", "calendar"],
  ["drop", "Leave out", "Not needed, not published.", "bin"],
];

export const roleWords = (role) => (ROLES.find(([name]) => name === role) ?? [role, role])[1];

const KINDS = {
  number: "numbers",
  text: "texts",
  date: "dates",
  datetime: "dates with times",
  instant: "dates with times",
  time: "times",
  boolean: "yes or no",
  null: "mixed",
};
export const kindWords = (kind) => KINDS[kind] ?? "values";

/** What numbers mean, wherever they stand. */
export const MEANS = {
  alone: "One of a kind means: nobody else in the table has the same values in these columns. Whoever knows them about a person finds the row, and with it all the rest.",
  records: "How many rows the released file has, of how many there were.",
  leftOut: "Some people are so unusual that they would stay recognisable. They are left out of the released file.",
  empty: "All have one value in it, or only stars. If you need such a column, raise its importance, or allow more people to be left out (steps 3 and 4).",
  scarce: "Less than half of its cells still say something; the others are stars.",
  kept: "100 % would be the original table, 0 % a table in which every value has become a star. It is the average of the columns, so a column with nothing left counts as 0 %.",
  highest: "The chance that somebody who knows a person's values picks the right row, for the person who is easiest to find.",
  found: "How often somebody who knows everybody's row of the original table is right about which released row is whose: by comparing, or by taking the narrowest group that fits.",
  average: "The same chance, averaged over all people in the file.",
  smallest: "People who look alike form a group. This is the size of the smallest one: everybody hides among at least that many.",
  classes: "How many groups of people who look alike the released file has. Fewer groups mean larger crowds.",
};

/** A column's name as promises write it. */
export const inPromise = (name) => (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name) ? name : JSON.stringify(name));
