import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Problem } from '@roadstead/kit';
import { type BuildOrder, buildArguments } from './build-rules.ts';

/** The programs by which people speak to a container engine, and how each says which platform its containers have. */
const programs = {
  docker: ['version', '--format', '{{.Server.Os}}/{{.Server.Arch}}'],
  podman: ['info', '--format', '{{.Host.OS}}/{{.Host.Arch}}'],
} as const;
type ProgramName = keyof typeof programs;

const PROBE_MS = 30_000;
const LAST_LINES = 20;

export interface BuiltImage {
  readonly image: string;
  readonly id: string;
  readonly size_bytes: number;
}

interface BuildTelling {
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** A container engine as its user has it, with the logins, proxies and builders that are set up for it. */
export class EngineProgram {
  readonly name: ProgramName;
  /** The platform of its containers, such as `linux/amd64`. */
  readonly platform: string;

  private constructor(name: ProgramName, platform: string) {
    this.name = name;
    this.platform = platform;
  }

  /**
   * Finds the program that is named, else the first whose engine answers.
   * @throws Problem that says why each of them will not do
   */
  static async find(named: string | undefined, signal: AbortSignal): Promise<EngineProgram> {
    if (named !== undefined && !Object.hasOwn(programs, named))
      throw new Problem('invalid', `--engine is docker or podman.`);
    const names = named === undefined ? (Object.keys(programs) as ProgramName[]) : [named as ProgramName];
    const reasons: string[] = [];
    for (const name of names) {
      const asked = await promisify(execFile)(name, programs[name], { timeout: PROBE_MS, signal }).then(
        ({ stdout }) => ({ platform: stdout.trim() }),
        (error: unknown) => ({ reason: reasonOf(error) }),
      );
      signal.throwIfAborted();
      if ('platform' in asked) return new EngineProgram(name, asked.platform);
      reasons.push(`${name}: ${asked.reason}`);
    }
    throw new Problem('unavailable', `No container engine answers (${reasons.join('; ')}).`, {
      hint: 'Install and start Docker or Podman, or let DOCKER_HOST name one.',
    });
  }

  /** @throws Problem where the engine does not build it, with the last that it said */
  async build(order: BuildOrder, { onLine, signal }: BuildTelling): Promise<BuiltImage> {
    const last: string[] = [];
    const child = spawn(this.name, buildArguments(order), { stdio: ['ignore', 'pipe', 'pipe'], signal });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve).once('error', reject);
    });
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        onLine(line);
        last.push(line);
        if (last.length > LAST_LINES) last.shift();
      });
    const code = await ended;
    if (code !== 0)
      throw new Problem('invalid', `${this.name} could not build the image:\n${last.join('\n')}`);
    return await this.inspect(order.tag, signal);
  }

  async inspect(image: string, signal: AbortSignal): Promise<BuiltImage> {
    const args = ['image', 'inspect', '--format', '{{.Id}} {{.Size}}', image];
    const { stdout } = await promisify(execFile)(this.name, args, { timeout: PROBE_MS, signal });
    const [id = '', size = ''] = stdout.trim().split(' ');
    return { image, id, size_bytes: Number(size) };
  }
}

/** Why a program can't be asked: its own first line, or that it is not there. */
function reasonOf(error: unknown): string {
  const { code, stderr, killed } = error as { code?: unknown; stderr?: string; killed?: boolean };
  if (code === 'ENOENT') return 'is not installed';
  if (killed === true) return `did not answer in ${PROBE_MS / 1000} s`;
  return stderr?.trim().split('\n')[0] ?? 'failed';
}
