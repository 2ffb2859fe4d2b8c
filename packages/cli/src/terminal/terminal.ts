import { randomUUID } from 'node:crypto';
import { safeText } from './safe-text.ts';

/** The output of a command. Control characters are removed from everything; colours are used on a terminal only. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Progress, on standard error; nothing when quiet. */
  readonly progress: (text: string) => void;
  /** A question, on standard error, without a line break after it. */
  readonly ask: (question: string) => void;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  /** Whether there is a person to ask. */
  readonly isInteractive: boolean;
}

/** The part of a process that is used here. */
interface Streams {
  readonly stdin: Pick<NodeJS.ReadStream, 'isTTY'>;
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

export interface TerminalOptions {
  readonly no_color: boolean;
  /** Without progress, for a program that reads JSON. */
  readonly quiet?: boolean;
}

export function openTerminal(
  { no_color, quiet = false }: TerminalOptions,
  { stdin, stdout, stderr }: Streams = process,
): Terminal {
  const colours = stdout.isTTY && stderr.isTTY && !no_color;
  // Our own colours are marked with a random text, and become escape sequences after all others have been removed.
  const mark = randomUUID();
  const marks = new RegExp(`<${mark} (\\d+)>`, 'g');
  const paint = (code: number) => (text: string) => (colours ? `<${mark} ${code}>${text}<${mark} 0>` : text);
  const line = (text: string) => `${safeText(text).replaceAll(marks, '\u001b[$1m')}\n`;
  const err = (text: string) => void stderr.write(line(text));
  return {
    out: (text) => void stdout.write(line(text)),
    err,
    progress: quiet ? () => undefined : err,
    ask: (question) => void stderr.write(safeText(question)),
    bold: paint(1),
    dim: paint(2),
    green: paint(32),
    red: paint(31),
    isInteractive: stdin.isTTY && stdout.isTTY,
  };
}

/** `12.3 s` since a time. */
export function elapsed(since_ms: number): string {
  return `${((Date.now() - since_ms) / 1000).toFixed(1)} s`;
}
