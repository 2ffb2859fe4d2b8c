const countries = [
  { name: 'France', capital: 'Paris', people: 68 },
  { name: 'Japan', capital: 'Tokyo', people: 124 },
  { name: 'Kenya', capital: 'Nairobi', people: 55 },
  { name: 'Norway', capital: 'Oslo', people: 6 },
  { name: 'Peru', capital: 'Lima', people: 34 },
  { name: 'Portugal', capital: 'Lisbon', people: 11 },
];

/** What the researcher looks up; a search engine or a database goes here. */
export function findFacts(question) {
  const asked = question.toLowerCase();
  return countries.filter(({ name }) => asked.includes(name.toLowerCase()));
}
