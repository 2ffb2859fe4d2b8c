/**
 * Writes a value as JSON whose members stand on lines of their own down to the level `levels`; what lies deeper shares the line of
 * its member. With three levels an OpenAPI document has one operation, or one schema, a line, so that a change of one shows as one line.
 */
export function writeJsonLines(value: unknown, levels: number): string {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${writeJsonLines(member, levels - 1)}`);
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n}`;
}
