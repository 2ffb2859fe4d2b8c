import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The options of a command of this repository, beside `--help`. */
type Config = Omit<ParseArgsConfig, 'args' | 'strict' | 'tokens'>;

/** Reads the options that a command was given. `--help` prints its usage and ends it; a wrong option ends it, too. */
export function commandOptions<const C extends Config>(
  usage: string,
  config: C,
): ReturnType<typeof parseArgs<C>> {
  if (process.argv.includes('--help')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return endForUse(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Ends a command that was called in a way that it doesn't have: says so, and how it is used. */
export function endForUse(problem: string, usage: string): never {
  process.stderr.write(`${problem}\n\n${usage}`);
  process.exit(2);
}
