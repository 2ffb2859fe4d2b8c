/** The texts that share words with a question, the best first, by BM25: a rare word counts more, a long text less. */
export function rank(question, texts) {
  const all = texts.map(wordsOf);
  const average = all.reduce((sum, words) => sum + words.length, 0) / Math.max(1, all.length);
  const weights = new Map(
    [...new Set(wordsOf(question))].map((word) => {
      const holding = all.filter((words) => words.includes(word)).length;
      return [word, Math.log(1 + (all.length - holding + 0.5) / (holding + 0.5))];
    }),
  );
  return texts
    .map((text, at) => ({ text, score: scoreOf(all[at], { weights, average }) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ text }) => text);
}

function scoreOf(words, { weights, average }) {
  let score = 0;
  for (const [word, weight] of weights) {
    const times = words.filter((one) => one === word).length;
    score += (weight * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average));
  }
  return score;
}

const unspecific = new Set(
  'a an and are at be by do does for from has have how i in is it my of on or that the there to was we what when where which who why will with you your'.split(
    ' ',
  ),
);

/** Without endings of the plural and of verbs, so that "opens" finds "open". */
function wordsOf(text) {
  return (text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? [])
    .filter((word) => !unspecific.has(word))
    .map((word) => (word.length > 3 ? word.replace(/(?:ing|ed|es|s)$/, '') : word));
}
