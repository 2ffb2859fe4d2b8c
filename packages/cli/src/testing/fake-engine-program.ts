import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A `docker` or `podman` on the PATH that keeps how it was called, and knows one image. */

export interface FakeEngineOptions {
  readonly folder: string;
  /** Its file's name. */
  readonly name: 'docker' | 'podman';
  /** What it says it is, where that is another one. */
  readonly version?: string;
  /** What it says where it refuses a push. */
  readonly refusal?: string;
  /** All names of the image, once it has that of the registry. */
  readonly names?: readonly string[];
  /** What a push makes of it. */
  readonly digest?: string;
}

/** One call: its arguments, and the files of logins that they name, by what is in them. */
interface EngineCall {
  readonly args: readonly string[];
  readonly login?: unknown;
  readonly login_mode?: number;
}

export interface FakeEngineProgram {
  calls(): Promise<readonly EngineCall[]>;
}

export async function fakeEngineProgram(options: FakeEngineOptions): Promise<FakeEngineProgram> {
  const { folder, name } = options;
  const file = join(folder, name);
  const log = join(folder, `${name}.log`);
  await writeFile(log, '');
  const code = [`#!${process.execPath}`, `(${program.toString()})(${JSON.stringify({ ...options, log })});`];
  await writeFile(file, code.join('\n'));
  await chmod(file, 0o755);
  return {
    calls: async () =>
      (await readFile(log, 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as EngineCall),
  };
}

/** Runs as a script of its own, and so uses nothing from around it. */
function program(known: FakeEngineOptions & { readonly log: string }): void {
  // oxlint-disable-next-line
  const fs = process.getBuiltinModule('node:fs');
  const args = process.argv.slice(2);
  const after = (option: string) => args[args.indexOf(option) + 1] ?? '';
  const logins = args.includes('--authfile')
    ? after('--authfile')
    : args.includes('--config')
      ? `${after('--config')}/config.json`
      : '';
  const seen =
    logins === ''
      ? {}
      : {
          login: JSON.parse(fs.readFileSync(logins, 'utf8')) as unknown,
          login_mode: fs.statSync(logins).mode & 0o777,
        };
  fs.appendFileSync(known.log, `${JSON.stringify({ args, ...seen })}\n`);
  const line = args.join(' ');
  if (line === '--version') process.stdout.write(`${known.version ?? known.name} version 5.0\n`);
  else if (line.startsWith('context inspect')) process.stdout.write('unix:///run/chosen.sock\n');
  else if (line.includes('RepoTags')) process.stdout.write(JSON.stringify(known.names ?? []));
  else if (line.includes('RepoDigests'))
    process.stdout.write(known.digest === undefined ? 'null' : JSON.stringify([known.digest]));
  else if (args.includes('push') && known.refusal !== undefined) {
    process.stderr.write(`The push refers to repository\n${known.refusal}\n`);
    process.exitCode = 1;
  } else if (args.includes('--digestfile'))
    fs.writeFileSync(after('--digestfile'), `${(known.digest ?? '').split('@')[1] ?? ''}\n`);
}
