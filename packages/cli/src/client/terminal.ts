/** Where a command writes: colours and progress only where a person watches. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** What is under way, for who watches. */
  readonly progress: (text: string) => void;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  /** Whether progress is shown. */
  readonly isWatched: boolean;
  /** Whether somebody can be asked. */
  readonly isInteractive: boolean;
}

/** The part of a process that is needed here. */
interface Streams {
  readonly stdin: Pick<NodeJS.ReadStream, 'isTTY'>;
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

export function openTerminal(no_color: boolean, { stdin, stdout, stderr }: Streams = process): Terminal {
  const colours = stdout.isTTY && stderr.isTTY && !no_color;
  const err = (text: string) => void stderr.write(`${text}\n`);
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    out: (text) => void stdout.write(`${text}\n`),
    err,
    progress: stderr.isTTY ? err : () => undefined,
    isWatched: stderr.isTTY,
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
