import { parseEnv } from 'node:util';

/** Decides with which variables a repository is tried: those of its own example, as a person fills them in. Pure. */

const COMMON = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'GROQ_API_KEY', 'TAVILY_API_KEY'];
/** It has the form of a token, since some clients look at that alone. */
export const FALSE_KEY = 'placeholder.placeholder.placeholder';
const SECRET = /_(KEY|TOKEN|SECRET|SID)$/;
const ADDRESS = /_UR[LI]$/;
/** Names whose values the platform sets, or that lead to a database that is not there. */
const LEFT_OUT = /^(LANGSMITH|LANGCHAIN|ROADSTEAD|DATABASE|POSTGRES|REDIS)_/;
/** A line that sets a variable, perhaps behind a comment sign, or that merely names one. */
const LINE = /^\s*(?<comment>#?)\s*(?:export )?(?<name>[A-Z][A-Z0-9_]*)\s*(?:=(?<text>.*))?$/;

/**
 * Keys are false, and an address is the example's own or none that leads anywhere. Other settings are the example's
 * own. Lines behind a comment sign count where no other names the variable.
 */
export function variablesOf(examples: readonly string[]): ReadonlyMap<string, string> {
  const lines = examples
    .flatMap((text) => text.split('\n'))
    .map((line) => LINE.exec(line)?.groups)
    .filter((groups) => groups !== undefined);
  const named = (sign: string) =>
    lines
      .filter(({ comment }) => comment === sign)
      .map(({ name = '', text = '' }) => [name, valueOf(name, text)] as const);
  const common = COMMON.map((name) => [name, valueOf(name, '')] as const);
  // The later one of two entries of a map counts.
  const all = [...common, ...named('#').toReversed(), ...named('').toReversed()];
  return new Map(all.filter(([name, value]) => value !== '' && !LEFT_OUT.test(name)));
}

function valueOf(name: string, text: string): string {
  if (SECRET.test(name)) return FALSE_KEY;
  const own = parseEnv(`${name}=${text}`)[name] ?? '';
  if (!ADDRESS.test(name)) return own;
  return URL.canParse(own) ? own : 'https://placeholder.invalid';
}

/** A line of an env file. */
export function lineOf(name: string, value: string): string {
  const mark = ["'", '"', '`'].find((one) => !value.includes(one)) ?? '';
  return `${name}=${mark}${value}${mark}`;
}
