/** Where a command writes: colours and moving lines only where a person watches. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly green: (text: string) => string;
  readonly red: (text: string) => string;
  readonly isInteractive: boolean;
}

export function openTerminal(no_color: boolean): Terminal {
  const colours = process.stdout.isTTY && !no_color;
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    bold: paint(1),
    dim: paint(2),
    green: paint(32),
    red: paint(31),
    isInteractive: process.stdin.isTTY && process.stdout.isTTY,
  };
}

/** `12.3 s` since a moment. */
export function elapsed(since_ms: number): string {
  return `${((Date.now() - since_ms) / 1000).toFixed(1)} s`;
}
