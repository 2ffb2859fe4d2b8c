import { randomUUID } from 'node:crypto';
import { safeText } from './safe-text.ts';

/** Where a command writes. Whatever it writes is safe for a terminal; colours only where a person watches. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** What is under way, on standard error; nothing where a program reads. */
  readonly progress: (text: string) => void;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  /** Whether somebody can be asked. */
  readonly isInteractive: boolean;
}

/** The part of a process that is needed here. */
interface Streams {
  readonly stdin: Pick<NodeJS.ReadStream, 'isTTY'>;
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

export interface TerminalOptions {
  readonly no_color: boolean;
  /** For a program that reads JSON: no progress. */
  readonly quiet?: boolean;
}

export function openTerminal(
  { no_color, quiet = false }: TerminalOptions,
  { stdin, stdout, stderr }: Streams = process,
): Terminal {
  const colours = stdout.isTTY && stderr.isTTY && !no_color;
  // Our own colours are marked by what nobody else can know, and become sequences after all others were taken out.
  const mark = randomUUID();
  const marks = new RegExp(`<${mark} (\\d+)>`, 'g');
  const paint = (code: number) => (text: string) => (colours ? `<${mark} ${code}>${text}<${mark} 0>` : text);
  const line = (text: string) => `${safeText(text).replaceAll(marks, '\u001b[$1m')}\n`;
  const err = (text: string) => void stderr.write(line(text));
  return {
    out: (text) => void stdout.write(line(text)),
    err,
    progress: quiet ? () => undefined : err,
    bold: paint(1),
    dim: paint(2),
    green: paint(32),
    red: paint(31),
    isInteractive: stdin.isTTY && stdout.isTTY,
  };
}

/** `12.3 s` since a moment. */
export function elapsed(since_ms: number): string {
  return `${((Date.now() - since_ms) / 1000).toFixed(1)} s`;
}
