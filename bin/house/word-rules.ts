/** Participles that end in no `ed`, as far as anybody is tempted to name a type so. */
const irregular = [
  'Begun',
  'Brought',
  'Built',
  'Chosen',
  'Done',
  'Driven',
  'Drawn',
  'Found',
  'Given',
  'Gone',
  'Held',
  'Heard',
  'Kept',
  'Known',
  'Left',
  'Lost',
  'Made',
  'Meant',
  'Met',
  'Said',
  'Seen',
  'Sent',
  'Shown',
  'Sold',
  'Spent',
  'Spoken',
  'Stood',
  'Swept',
  'Taken',
  'Told',
  'Thought',
  'Understood',
  'Written',
];
/** Nouns that end like participles. */
const nouns = new Set([
  'Beginning',
  'Binding',
  'Bound',
  'Building',
  'Embed',
  'Embedding',
  'Encoding',
  'Ending',
  'Feed',
  'Finding',
  'Grouping',
  'Heading',
  'Holding',
  'Landing',
  'Listing',
  'Mapping',
  'Meaning',
  'Need',
  'Ping',
  'Pricing',
  'Rating',
  'Ring',
  'Seed',
  'Setting',
  'Spacing',
  'Speed',
  'String',
  'Thing',
  'Warning',
]);
const participles = new Set(irregular);

/** A type that is named by a participle alone, such as `Asked`, `Shown` or `Telling`. */
export function isBareParticiple(name: string): boolean {
  if (!/^[A-Z][a-z]+$/.test(name) || nouns.has(name)) return false;
  return participles.has(name) || /(?:ed|ing)$/.test(name);
}

/** A comment that has a preposition or a pronoun where its subject belongs. */
export function isHeadless(comment: string): boolean {
  return /^[\s*]*(?:Of|Whose|By)\b/.test(comment);
}

export function isRiddle(title: string): boolean {
  return title.length > 90 || !/\bwhen\b.*\bthen\b/is.test(title);
}
