import type { ParseArgsConfig } from 'node:util';
import type { Fields } from './failure.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** A command of `roadstead`: its options as data, so that help, parsing, completion and documentation can't differ. */
export interface Command {
  readonly name: string;
  /**
   * The operands after the name: `NAME` is required, `[DIR]` optional, `KEY…` one or more, `list` literal, ` | `
   * separates forms.
   */
  readonly operands: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Example calls, each with its effect. */
  readonly examples: readonly Example[];
  /** The kind of each operand, so that a shell can complete it. */
  readonly completes?: Readonly<Record<string, Lookup>>;
  /** The options and operands for fields of the API. */
  readonly fields?: Fields;
  /** Returns the exit code. */
  readonly run: (call: CommandCall) => Promise<number>;
}

interface Example {
  /** The words after `roadstead`. */
  readonly call: string;
  readonly does: string;
}

/** Where a shell looks values up: names from the platform, names from files of this machine, or files. */
export type Lookup = 'deployments' | 'contexts' | 'templates' | 'folders' | 'files';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly doc: string;
  readonly multiple?: boolean;
  /** Its other name, of one letter. */
  readonly short?: string;
  readonly value?: string;
  /** Its values, or where they are looked up. */
  readonly completes?: Lookup | readonly string[];
}

export interface CommandCall {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly terminal: Terminal;
}

/** Options of every command that prints an answer. */
export const answerOptions: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', doc: 'answer in JSON, as the API has it' },
  quiet: { type: 'boolean', doc: 'without progress' },
};

/** Options of every command that has images built. */
export const engineOptions: Readonly<Record<string, Option>> = {
  engine: {
    type: 'string',
    value: 'PROGRAM',
    doc: 'docker or podman (the first whose engine answers)',
    completes: ['docker', 'podman'],
  },
  network: {
    type: 'string',
    value: 'NAME',
    doc: 'network that commands of the build join (the engine’s default)',
  },
  pull: { type: 'boolean', doc: 'fetch the newest base, even where there is one' },
};

/** Options of every command that talks to a platform. */
export const targetOptions: Readonly<Record<string, Option>> = {
  url: {
    type: 'string',
    value: 'URL',
    doc: 'the platform (ROADSTEAD_URL, else that of the context, else http://127.0.0.1:4100)',
  },
  'api-key': {
    type: 'string',
    value: 'KEY',
    doc: 'API key (ROADSTEAD_API_KEY, else the context’s, else the data folder’s api-key)',
  },
  context: {
    type: 'string',
    value: 'NAME',
    doc: 'the platform that `roadstead login` noted by this name',
    completes: 'contexts',
  },
  ...answerOptions,
};

/** Options of every command that makes a revision. */
export const waitOptions: Readonly<Record<string, Option>> = {
  wait: { type: 'boolean', doc: 'wait for the end (unless --no-wait)' },
  'no-wait': { type: 'boolean', doc: 'do not wait for the end' },
};

export function parseOptions(command: Command): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(command.options).map(([name, { type, multiple, short }]) => [
      name,
      { type, multiple: multiple === true, ...(short === undefined ? {} : { short }) },
    ]),
  );
}

/** The forms of a command's operands, each as words. */
export function formsOf({ operands }: Pick<Command, 'operands'>): string[][] {
  return operands.split(' | ').map((form) => form.split(' ').filter((word) => word !== ''));
}

/** Whether the operands match one of the command's forms. */
export function takesOperands(command: Pick<Command, 'operands'>, given: readonly string[]): boolean {
  return formsOf(command).some((words) => {
    const goes_on = words.at(-1)?.endsWith('…') === true;
    return (
      (given.length <= words.length || goes_on) &&
      words.every((word, at) =>
        isLiteral(word) ? given[at] === word : at < given.length || word.startsWith('['),
      )
    );
  });
}

/** Whether a word of the operands is literal. */
export const isLiteral = (word: string): boolean => /^[a-z]/.test(word);

export function helpOf(command: Command): string {
  const options = rowsOf([
    ...Object.entries(command.options).map(([name, option]) => [labelOf(name, option), option.doc] as const),
    ['--help', 'this text'],
  ]);
  const examples = rowsOf(command.examples.map(({ call, does }) => [`roadstead ${call}`, does]));
  const forms = formsOf(command).map((words) => ['roadstead', command.name, ...words].join(' '));
  return [
    ...forms,
    '',
    command.summary,
    '',
    'Options:',
    ...options,
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples]),
    '',
  ].join('\n');
}

export const labelOf = (name: string, { short, value }: Option): string =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

const LABEL_COLUMNS = 26;

function rowsOf(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(LABEL_COLUMNS, ...rows.map(([label]) => label.length + 2));
  return rows.map(([label, doc]) => `  ${label.padEnd(width)}${doc}`);
}

export function textOf(value: CommandCall['values'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
