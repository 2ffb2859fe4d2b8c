/** The length, the number of vowels, and a constant. */
export const embed = (texts) => texts.map((text) => [text.length, (text.match(/[aeiou]/g) ?? []).length, 1]);
