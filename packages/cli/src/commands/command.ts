import type { ParseArgsConfig } from 'node:util';
import type { Fields } from '../client/failure.ts';
import type { Terminal } from '../client/terminal.ts';

/** A command of `roadstead`: its options as data, so that help and parsing can't differ. */
export interface Command {
  readonly name: string;
  /** The operands after the name: `NAME` is required, `[DIR]` optional, `list` literal, `|` separates forms. */
  readonly operands: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** The options and operands that stand for fields of the API. */
  readonly fields?: Fields;
  /** Returns the exit code. */
  readonly run: (call: CommandCall) => Promise<number>;
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly doc: string;
  readonly multiple?: boolean;
  readonly value?: string;
}

export interface CommandCall {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
  readonly terminal: Terminal;
}

/** Options of every command that talks to a platform. */
export const targetOptions: Readonly<Record<string, Option>> = {
  url: { type: 'string', value: 'URL', doc: 'the platform (ROADSTEAD_URL, else http://127.0.0.1:4100)' },
  'api-key': {
    type: 'string',
    value: 'KEY',
    doc: 'API key (ROADSTEAD_API_KEY, else the data folder’s api-key)',
  },
  json: { type: 'boolean', doc: 'answer in JSON' },
};

export function parseOptions(command: Command): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(command.options).map(([name, { type, multiple }]) => [
      name,
      { type, multiple: multiple === true },
    ]),
  );
}

/** Whether what was given after the name is one of the command's forms. */
export function takesOperands({ operands }: Pick<Command, 'operands'>, given: readonly string[]): boolean {
  return operands.split('|').some((form) => {
    const words = form.split(' ').filter((word) => word !== '');
    return (
      given.length <= words.length &&
      words.every((word, at) =>
        /^[a-z]/.test(word) ? given[at] === word : at < given.length || word.startsWith('['),
      )
    );
  });
}

export function helpOf(command: Command): string {
  const rows = [...Object.entries(command.options), ['help', { type: 'boolean', doc: 'this text' }] as const];
  const lines = rows.map(
    ([name, option]) =>
      `  ${`--${name}${'value' in option && option.value !== undefined ? ` ${option.value}` : ''}`.padEnd(26)}${option.doc}`,
  );
  return `roadstead ${command.name}${command.operands === '' ? '' : ` ${command.operands}`}\n\n${command.summary}\n\nOptions:\n${lines.join('\n')}\n`;
}

export function textOf(value: CommandCall['values'][string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
