/** What earlier calls of a scenario kept, and where later ones name it. */
export class KeptAnswers {
  private readonly kept: Record<string, unknown>;

  constructor(known: Readonly<Record<string, unknown>>) {
    this.kept = { ...known };
  }

  keep(name: string, answer: unknown): void {
    this.kept[name] = answer;
  }

  /** The same with every `$name.path` replaced. */
  fill(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith('$')) return this.find(value.slice(1));
    if (Array.isArray(value)) return value.map((one) => this.fill(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.fill(one)]));
  }

  /** A text with every `{name.path}` replaced, for paths of requests. */
  fillText(text: string): string {
    return text.replaceAll(/\{([a-z_0-9.]+)\}/g, (_, path: string) => String(this.find(path)));
  }

  private find(path: string): unknown {
    let found: unknown = this.kept;
    for (const name of path.split('.')) found = (found as Record<string, unknown> | undefined)?.[name];
    return found;
  }
}
