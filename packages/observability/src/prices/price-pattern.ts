import { RE2JS } from 're2js';
import { Problem } from '@roadstead/kit';

/**
 * Patterns of model names, which users write: matching takes time that grows with the name only. The engine refuses
 * what it cannot do that way: lookaround and references to groups.
 */

const MAX_PROGRAM = 2000;

/** @throws Problem `invalid` where it is no pattern, or one that asks for too much. */
export function checkPattern(pattern: string): void {
  let size: number;
  try {
    size = RE2JS.compile(pattern).programSize();
  } catch (cause) {
    throw new Problem('invalid', 'match_pattern is not a regular expression that can be used here.', {
      hint: 'The syntax is that of RE2: no lookaround and no references to groups.',
      cause,
    });
  }
  if (size > MAX_PROGRAM)
    throw new Problem('invalid', 'match_pattern repeats too much.', {
      hint: 'Write fewer or smaller counted repetitions.',
    });
}

/** Whether the pattern matches a name. A pattern that this version can't read matches nothing. */
export function patternMatcher(pattern: string): (name: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (name) => compiled.test(name);
  } catch {
    return () => false;
  }
}
