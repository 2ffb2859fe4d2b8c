import { ApiError } from '@roadstead/contracts';
import { Problem } from '@roadstead/kit';
import { Interruption } from '../terminal/interrupt.ts';

/** The failure of a command, for the user. */
export interface Failure {
  readonly message: string;
  /** The API's status, if it refused. */
  readonly status?: number;
  readonly exit_code: number;
}

/** The option or operand for each field of the API, such as `body.name`, and for the fields inside it. */
export type Fields = Readonly<Record<string, string>>;

/** Recognised by name, since only `up` loads the modules of these classes. */
const SENTENCES = new Set(['PostgresStartError', 'SchemaTooNewError']);

/** A sentence where the user can do something about it; the stack where it is a bug of ours. */
export function failureOf(error: unknown, fields: Fields = {}): Failure {
  if (error instanceof Interruption) return { message: error.message, exit_code: 130 };
  if (error instanceof Problem) return { message: error.sentence, exit_code: 1 };
  if (error instanceof ApiError) return refusal(error, fields);
  if (error instanceof Error && SENTENCES.has(error.name)) return { message: error.message, exit_code: 1 };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, exit_code: 1 };
}

function refusal(error: ApiError, fields: Fields): Failure {
  if (error.status === 0)
    return {
      message: `${error.message} Is the platform running? \`npm start\` starts it.`,
      exit_code: 1,
    };
  const { detail } = (error.body ?? {}) as { readonly detail?: unknown };
  const message = Array.isArray(detail)
    ? (detail as Issue[]).map((issue) => issueInOurTerms(issue, fields)).join('; ')
    : sentenceInOurTerms(error.message, fields);
  return { message, status: error.status, exit_code: 1 };
}

/** A sentence of the API that begins with a field, rewritten to begin with the option or operand. */
function sentenceInOurTerms(sentence: string, fields: Fields): string {
  for (const [path, name] of Object.entries(fields)) {
    const field = path.slice(path.indexOf('.') + 1);
    if (sentence.startsWith(`${field} `)) return name + sentence.slice(field.length);
  }
  return sentence;
}

interface Issue {
  readonly loc?: readonly (string | number)[];
  readonly msg?: string;
}

function issueInOurTerms({ loc = [], msg = '' }: Issue, fields: Fields): string {
  for (let length = loc.length; length > 0; length -= 1) {
    const name = fields[loc.slice(0, length).join('.')];
    if (name !== undefined) return `${name}: ${msg}`;
  }
  return `${loc.slice(1).join('.')}: ${msg}`;
}
